/// The characters of the bytes from 0x80 on, in encodings of one byte a character.
///
/// The tables are facts of the Encoding standard. A byte without a character is U+FFFD, or, in Windows'
/// own, the control character.
enum SingleByteTable: String, Sendable {
  case windows1252, windows1250, windows1251, windows1253, windows1254, windows1255, windows1256, windows1257,
    windows1258, windows874, iso2, iso3, iso4, iso5, iso6, iso7, iso8, iso10, iso13, iso14, iso15, iso16, koi8r, koi8u,
    ibm866, macRoman, macCyrillic

  /// The table of a label in lower case.
  init?(label: String) {
    guard let table = Self.labels[label] else { return nil }
    self = table
  }

  /// The 128 characters of the bytes from 0x80 on.
  var upperHalf: [Unicode.Scalar] { Self.characters[self] ?? [] }

  private static let characters: [SingleByteTable: [Unicode.Scalar]] = {
    var characters = texts.mapValues { text in
      let scalars = Array(text.unicodeScalars)
      return (0..<128).map { $0 < scalars.count ? scalars[$0] : "\u{FFFD}" }
    }
    for (table, base, runs) in variants {
      var scalars = characters[base] ?? []
      for run in runs.unicodeScalars.split(separator: " ") {
        let start = (Int(String(run.prefix(2)), radix: 16) ?? 0x80) - 0x80
        scalars.replaceSubrange(start..<(start + run.count - 2), with: run.dropFirst(2))
      }
      characters[table] = scalars
    }
    return characters
  }()

  private static let labels: [String: SingleByteTable] = {
    var labels: [String: SingleByteTable] = [:]
    for (table, words) in words {
      for word in words.split(separator: " ") { labels[String(word)] = table }
    }
    return labels
  }()

  /// The labels of each table, in lower case.
  private static let words: [SingleByteTable: String] = [
    .windows1252:
      "windows-1252 iso-8859-1 iso8859-1 iso_8859-1 latin1 l1 ascii us-ascii cp1252 x-cp1252 ansi_x3.4-1968 "
      + "cp819 csisolatin1 ibm819 iso-ir-100 iso88591 iso_8859-1:1987",
    .windows1250: "windows-1250 cp1250 x-cp1250",
    .windows1251: "windows-1251 cp1251 x-cp1251",
    .windows1253: "windows-1253 cp1253 x-cp1253",
    .windows1254:
      "windows-1254 iso-8859-9 iso8859-9 latin5 l5 cp1254 x-cp1254 csisolatin5 iso-ir-148 iso88599 iso_8859-9 "
      + "iso_8859-9:1989",
    .windows1255: "windows-1255 cp1255 x-cp1255",
    .windows1256: "windows-1256 cp1256 x-cp1256",
    .windows1257: "windows-1257 cp1257 x-cp1257",
    .windows1258: "windows-1258 cp1258 x-cp1258",
    .windows874: "windows-874 tis-620 iso-8859-11 iso8859-11 dos-874 iso885911",
    .iso2: "iso-8859-2 iso8859-2 latin2 l2 csisolatin2 iso-ir-101 iso88592 iso_8859-2 iso_8859-2:1987",
    .iso3: "iso-8859-3 iso8859-3 latin3 l3 csisolatin3 iso-ir-109 iso88593 iso_8859-3 iso_8859-3:1988",
    .iso4: "iso-8859-4 iso8859-4 latin4 l4 csisolatin4 iso-ir-110 iso88594 iso_8859-4 iso_8859-4:1988",
    .iso5: "iso-8859-5 iso8859-5 cyrillic csisolatincyrillic iso-ir-144 iso88595 iso_8859-5 iso_8859-5:1988",
    .iso6:
      "iso-8859-6 iso8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e "
      + "iso-8859-6-i iso-ir-127 iso88596 iso_8859-6 iso_8859-6:1987",
    .iso7:
      "iso-8859-7 iso8859-7 greek csisolatingreek ecma-118 elot_928 greek8 iso-ir-126 iso88597 iso_8859-7 "
      + "iso_8859-7:1987 sun_eu_greek",
    .iso8:
      "iso-8859-8 iso8859-8 hebrew iso-8859-8-i csiso88598e csiso88598i csisolatinhebrew iso-8859-8-e "
      + "iso-ir-138 iso88598 iso_8859-8 iso_8859-8:1988 logical visual",
    .iso10: "iso-8859-10 iso8859-10 latin6 l6 csisolatin6 iso-ir-157 iso885910",
    .iso13: "iso-8859-13 iso8859-13 iso885913",
    .iso14: "iso-8859-14 iso8859-14 iso885914",
    .iso15: "iso-8859-15 iso8859-15 latin9 l9 csisolatin9 iso885915 iso_8859-15",
    .iso16: "iso-8859-16",
    .koi8r: "koi8-r koi8 koi koi8_r cskoi8r",
    .koi8u: "koi8-u koi8-ru",
    .ibm866: "ibm866 866 cp866 csibm866",
    .macRoman: "macintosh mac x-mac-roman csmacintosh",
    .macCyrillic: "x-mac-cyrillic x-mac-ukrainian",
  ]

  /// The control characters that the tables of ISO begin with.
  private static let controls = String(decoding: 0x80...0x9F as ClosedRange<UInt16>, as: UTF16.self)

  private static let texts: [SingleByteTable: String] = [
    .windows1252:
      "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}"
      + "\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ"
      + "\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯"
      + "°±²³´µ¶·¸¹º»¼½¾¿"
      + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
      + "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
      + "àáâãäåæçèéêëìíîï"
      + "ðñòóôõö÷øùúûüýþÿ",
    .windows1250:
      "€\u{81}‚\u{83}„…†‡\u{88}‰Š‹ŚŤŽŹ"
      + "\u{90}‘’“”•–—\u{98}™š›śťžź"
      + "\u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż"
      + "°±˛ł´µ¶·¸ąş»Ľ˝ľż"
      + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ"
      + "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
      + "ŕáâăäĺćçčéęëěíîď"
      + "đńňóôőö÷řůúűüýţ˙",
    .windows1251:
      "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏ"
      + "ђ‘’“”•–—\u{98}™љ›њќћџ"
      + "\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї"
      + "°±Ііґµ¶·ё№є»јЅѕї"
      + "АБВГДЕЖЗИЙКЛМНОП"
      + "РСТУФХЦЧШЩЪЫЬЭЮЯ"
      + "абвгдежзийклмноп"
      + "рстуфхцчшщъыьэюя",
    .windows1253:
      "€\u{81}‚ƒ„…†‡\u{88}‰\u{8A}‹\u{8C}\u{8D}\u{8E}\u{8F}"
      + "\u{90}‘’“”•–—\u{98}™\u{9A}›\u{9C}\u{9D}\u{9E}\u{9F}"
      + "\u{A0}΅Ά£¤¥¦§¨©�«¬\u{AD}®―"
      + "°±²³΄µ¶·ΈΉΊ»Ό½ΎΏ"
      + "ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟ"
      + "ΠΡ�ΣΤΥΦΧΨΩΪΫάέήί"
      + "ΰαβγδεζηθικλμνξο"
      + "πρςστυφχψωϊϋόύώ�",
    .windows1255:
      "€\u{81}‚ƒ„…†‡ˆ‰\u{8A}‹\u{8C}\u{8D}\u{8E}\u{8F}"
      + "\u{90}‘’“”•–—˜™\u{9A}›\u{9C}\u{9D}\u{9E}\u{9F}"
      + "\u{A0}¡¢£₪¥¦§¨©×«¬\u{AD}®¯"
      + "°±²³´µ¶·¸¹÷»¼½¾¿"
      + "\u{5B0}\u{5B1}\u{5B2}\u{5B3}\u{5B4}\u{5B5}\u{5B6}\u{5B7}\u{5B8}\u{5B9}\u{5BA}\u{5BB}\u{5BC}\u{5BD}\u{5BE}\u{5BF}"
      + "\u{5C0}\u{5C1}\u{5C2}\u{5C3}\u{5F0}\u{5F1}\u{5F2}\u{5F3}\u{5F4}�������"
      + "\u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}"
      + "\u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}\u{5EA}��\u{200E}\u{200F}�",
    .windows1256:
      "€\u{67E}‚ƒ„…†‡ˆ‰\u{679}‹Œ\u{686}\u{698}\u{688}"
      + "\u{6AF}‘’“”•–—\u{6A9}™\u{691}›œ\u{200C}\u{200D}\u{6BA}"
      + "\u{A0}\u{60C}¢£¤¥¦§¨©\u{6BE}«¬\u{AD}®¯"
      + "°±²³´µ¶·¸¹\u{61B}»¼½¾\u{61F}"
      + "\u{6C1}\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}"
      + "\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}×\u{637}\u{638}\u{639}\u{63A}\u{640}\u{641}\u{642}\u{643}"
      + "à\u{644}â\u{645}\u{646}\u{647}\u{648}çèéêë\u{649}\u{64A}îï"
      + "\u{64B}\u{64C}\u{64D}\u{64E}ô\u{64F}\u{650}÷\u{651}ù\u{652}ûü\u{200E}\u{200F}\u{6D2}",
    .windows1257:
      "€\u{81}‚\u{83}„…†‡\u{88}‰\u{8A}‹\u{8C}¨ˇ¸"
      + "\u{90}‘’“”•–—\u{98}™\u{9A}›\u{9C}¯˛\u{9F}"
      + "\u{A0}�¢£¤�¦§Ø©Ŗ«¬\u{AD}®Æ"
      + "°±²³´µ¶·ø¹ŗ»¼½¾æ"
      + "ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻ"
      + "ŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß"
      + "ąįāćäåęēčéźėģķīļ"
      + "šńņóōõö÷ųłśūüżž˙",
    .windows874:
      "€\u{81}\u{82}\u{83}\u{84}…\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}"
      + "\u{90}‘’“”•–—\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}"
      + "\u{A0}กขฃคฅฆงจฉชซฌญฎฏ"
      + "ฐฑฒณดตถทธนบปผฝพฟ"
      + "ภมยรฤลฦวศษสหฬอฮฯ"
      + "ะ\u{E31}\u{E32}\u{E33}\u{E34}\u{E35}\u{E36}\u{E37}\u{E38}\u{E39}\u{E3A}����\u{E3F}"
      + "\u{E40}\u{E41}\u{E42}\u{E43}\u{E44}\u{E45}\u{E46}\u{E47}\u{E48}\u{E49}\u{E4A}\u{E4B}\u{E4C}\u{E4D}\u{E4E}๏"
      + "๐๑๒๓๔๕๖๗๘๙๚๛����",
    .iso5:
      controls
      + "\u{A0}ЁЂЃЄЅІЇЈЉЊЋЌ\u{AD}ЎЏ"
      + "АБВГДЕЖЗИЙКЛМНОП"
      + "РСТУФХЦЧШЩЪЫЬЭЮЯ"
      + "абвгдежзийклмноп"
      + "рстуфхцчшщъыьэюя"
      + "№ёђѓєѕіїјљњћќ§ўџ",
    .iso6:
      controls
      + "\u{A0}���¤�������\u{60C}\u{AD}��"
      + "�����������\u{61B}���\u{61F}"
      + "�\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}"
      + "\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\u{638}\u{639}\u{63A}�����"
      + "\u{640}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{649}\u{64A}\u{64B}\u{64C}\u{64D}\u{64E}\u{64F}"
      + "\u{650}\u{651}\u{652}�������������",
    .iso7:
      controls
      + "\u{A0}‘’£€₯¦§¨©ͺ«¬\u{AD}�―"
      + "°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ"
      + "ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟ"
      + "ΠΡ�ΣΤΥΦΧΨΩΪΫάέήί"
      + "ΰαβγδεζηθικλμνξο"
      + "πρςστυφχψωϊϋόύώ�",
    .iso8:
      controls
      + "\u{A0}�¢£¤¥¦§¨©×«¬\u{AD}®¯"
      + "°±²³´µ¶·¸¹÷»¼½¾�"
      + "����������������"
      + "���������������‗"
      + "\u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}"
      + "\u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}\u{5EA}��\u{200E}\u{200F}�",
    .iso13:
      controls
      + "\u{A0}”¢£¤„¦§Ø©Ŗ«¬\u{AD}®Æ"
      + "°±²³“µ¶·ø¹ŗ»¼½¾æ"
      + "ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻ"
      + "ŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß"
      + "ąįāćäåęēčéźėģķīļ"
      + "šńņóōõö÷ųłśūüżž’",
    .iso15:
      controls
      + "\u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯"
      + "°±²³Žµ¶·ž¹º»ŒœŸ¿"
      + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ"
      + "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
      + "àáâãäåæçèéêëìíîï"
      + "ðñòóôõö÷øùúûüýþÿ",
    .koi8r:
      "─│┌┐└┘├┤┬┴┼▀▄█▌▐"
      + "░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷"
      + "═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞"
      + "╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©"
      + "юабцдефгхийклмно"
      + "пярстужвьызшэщчъ"
      + "ЮАБЦДЕФГХИЙКЛМНО"
      + "ПЯРСТУЖВЬЫЗШЭЩЧЪ",
    .ibm866:
      "АБВГДЕЖЗИЙКЛМНОП"
      + "РСТУФХЦЧШЩЪЫЬЭЮЯ"
      + "абвгдежзийклмноп"
      + "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧"
      + "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
      + "рстуфхцчшщъыьэюя"
      + "ЁёЄєЇїЎў°∙·√№¤■\u{A0}",
    .macRoman:
      "ÄÅÇÉÑÖÜáàâäãåçéè"
      + "êëíìîïñóòôöõúùûü"
      + "†°¢£§•¶ß®©™´¨≠ÆØ"
      + "∞±≤≥¥µ∂∑∏π∫ªºΩæø"
      + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ"
      + "–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ"
      + "‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ"
      + "\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ",
    .macCyrillic:
      "АБВГДЕЖЗИЙКЛМНОП"
      + "РСТУФХЦЧШЩЪЫЬЭЮЯ"
      + "†°Ґ£§•¶І®©™Ђђ≠Ѓѓ"
      + "∞±≤≥іµґЈЄєЇїЉљЊњ"
      + "јЅ¬√ƒ≈∆«»…\u{A0}ЋћЌќѕ"
      + "–—“”‘’÷„ЎўЏџ№Ёёя"
      + "абвгдежзийклмноп"
      + "рстуфхцчшщъыьэю€",
  ]

  /// The tables that have much of another one, which comes before: for each run of other characters its first byte in
  /// hex, and the characters.
  private static let variants: [(table: SingleByteTable, base: SingleByteTable, runs: String)] = [
    (.windows1254, .windows1252, "8E\u{8E} 9E\u{9E} D0Ğ DDİŞ F0ğ FDış"),
    (
      .windows1258, .windows1254,
      "8A\u{8A} 9A\u{9A} C3Ă CC\u{300} D0ĐÑ\u{309}ÓÔƠ DDƯ\u{303} E3ă EC\u{301} F0đñ\u{323}óôơ FDư₫"
    ),
    (.iso10, .iso15, "A1ĄĒĢĪĨĶ§ĻĐŠŦŽ\u{AD}ŪŊ°ąēģīĩķ·ļđšŧž―ūŋĀ C7ĮČÉĘËĖ D1ŅŌ D7ŨØŲ E0ā E7įčéęëė F1ņō F7ũøų FFĸ"),
    (.iso4, .iso10, "A2ĸŖ¤ĨĻ§¨ŠĒĢŦ\u{AD}Ž¯°ą˛ŗ´ĩļˇ¸šēģŧŊž CFĪĐŅŌĶ D7× DDŨŪ EFīđņōķ F7÷ FDũū˙"),
    (.iso14, .iso15, "A1Ḃḃ£ĊċḊ§Ẁ©ẂḋỲ\u{AD}®ŸḞḟĠġṀṁ¶ṖẁṗẃṠỳẄẅṡ D0Ŵ D7Ṫ DEŶ F0ŵ F7ṫ FEŷ"),
    (.iso16, .iso15, "A1ĄąŁ€„ AAȘ«Ź\u{AD}źŻ°±ČłŽ” B9čș BFż C3ĂÄĆ D0ĐŃ D5ŐÖŚŰ DDĘȚ E3ăäć F0đń F5őöśű FDęț"),
    (
      .iso2, .iso16,
      "A2˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔ C5ĹĆÇČÉĘËĚÍÎĎĐŃŇ D7×ŘŮÚŰÜÝŢßŕ E5ĺćçčéęëěíîďđńň "
        + "F7÷řůúűüýţ˙"
    ),
    (.iso3, .iso15, "A1Ħ˘£¤�Ĥ§¨İŞĞĴ\u{AD}�Ż°ħ²³´µĥ·¸ışğĵ½�ż C3�ÄĊĈ D0� D5ĠÖ×Ĝ DDŬŜ E3�äċĉ F0� F5ġö÷ĝ FDŭŝ˙"),
    (.koi8u, .koi8r, "A4є╔ії ADґў B4Є╣ІЇ BDҐЎ"),
  ]
}
