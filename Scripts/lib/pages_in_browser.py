"""pages_in_browser.py IMGFETCH CHROMIUM FOLDER: compares what `imgfetch find` lists with what a browser requests.

Each page is opened in headless Chromium, with scripts and without. Every picture that it requests has to be listed, or
another of the same picture that is not smaller. All that is listed besides has to be a link, a page's or a site's own
picture, or one that the browser knows and does not want now. Ends with 1 if there is a difference.

A name tells what a picture is for: `a.3.png` and `a.5.png` are a smaller and a larger one of the same picture, `lazy-…`
is in an attribute for scripts, `known-…` is known to the browser and not wanted, `no-…` is no picture of the page."""
import fcntl, http.server, json, os, pathlib, re, select, struct, subprocess, sys, threading, time, zlib

binary, chromium, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
pages = []  # (name, bytes, Content-Type)


def page(name, text, kind="text/html; charset=utf-8", encoding="utf-8"):
    pages.append((name, text if isinstance(text, bytes) else text.encode(encoding), kind))


page("sources", """<!doctype html><title>x</title>
<img src=a.png><img src="b.png" alt=b><img src='c.png'><IMG SRC=d.png><img src=" e.png "><img src=""><img alt=none>
<img srcset="f.3.png 1x, f.5.png 3x"><img srcset="g.3.png, g.5.png 2x" src=g.1.png>
<img srcset="h.3.png 300w, h.4.png 900w, h.5.png 2000w" sizes="(max-width: 600px) 300px, 600px" src=h.1.png>
<img srcset="i.3.png 100w,i.5.png 3000w" sizes=auto loading=lazy src=i.1.png>
<img srcset="j.3.png 1x,j.5.png 2x," src=j.1.png><img srcset=",k.3.png 1x ,, k.5.png 2x">
<img srcset="l.5.png (1x), no-l.png" src=l.3.png><img srcset="m,1.png 1x"><img srcset="n.png, "><img srcset="o.png,">
<img srcset="no-p.png 0w, p.png 100w"><img srcset="q.3.png 1.5e0x, q.5.png 20e-1x"><img srcset="r.png 100w 50h">
<img srcset="no-s.png 1x 2x, s.png"><img srcset="no-t.png -1x, t.png 1x"><img srcset="no-u.png +100w, u.png 100w">
<img srcset="no-v.png 100h" src=v.png><img srcset="\n\tw.3.png\n\t1x\n\t,\n\tw.5.png\t2x\n">
<img src=x.png srcset=""><img src=y.png srcset=" , "><img srcset="z.3.png 1x" src=z.1.png loading=lazy>
<img srcset="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACADs= 1x, known-za.png 1x" src="known-zb.png">
<input type=image src=input.png><input type=IMAGE src=input-upper.png><input type=text src=no-input.png>
<input src=no-input-2.png><button type=image src=no-button.png></button>
<video poster=poster.png></video><audio poster=no-audio.png></audio><video poster=""></video>
<img longdesc=no-longdesc.png lowsrc=no-lowsrc.png src=dynsrc.png dynsrc=no-dynsrc.png><image src=image.png>""")

page("picture", """<!doctype html>
<picture><source srcset="a.3.webp"><img src=a.3.png></picture>
<picture><source media="(min-width: 1px)" srcset="b.4.png 1x, b.5.png 2x"><source srcset=b.3.png><img src=b.1.png></picture>
<picture><source media="(max-width: 1px)" srcset="c.3.png"><img src=c.4.png></picture>
<picture><source type=image/none srcset=d.2.png><source type="image/avif" srcset=d.3.avif><img src=d.3.png></picture>
<picture><source srcset="e.3.png 400w, e.5.png 1600w" sizes=100vw><img src=e.1.png srcset="e.4.png 800w"></picture>
<picture><img src=f.png><source srcset=no-f.png></picture>
<picture><source src=no-g.png><img src=g.png></picture><picture><source srcset=""><img src=h.png></picture>
<picture><!-- <source srcset=no-i.png> --><source srcset="i.3a.png"></source><img src=i.3b.png></picture>
<picture><source srcset=no-alone.png></picture><source srcset=no-source.png><img src=j.png>
<video><source src=no-film.mp4 srcset=no-film.png></video>
<picture>
  <source media="(orientation: portrait)" srcset="k.3.png 1x, k.4.png 2x">
  <source media="(orientation: landscape)" srcset="k.4.png 1x, k.5.png 2x"><img src="k.1.png" alt="k">
</picture><PICTURE><SOURCE SRCSET=l.3a.png><IMG SRC=l.3b.png></PICTURE>
<picture><source srcset=m.3a.png><img src=m.3b.png><img src=m.3c.png></picture>
<picture><picture><source srcset=o.3a.png><img src=o.3b.png></picture></picture><img src=p.png>
<picture><source srcset="q.5.png 2x, q.3.png 1x" width=10 height=10><img src=q.1.png></picture>""")

page("base", """<!doctype html><head><img src=before.png><base target=_blank><base href="sub/dir/?q#f">
<base href="/no/"><link rel=preload as=image href=head.png></head><img src=a.png><img src=../b.png><img src=/c.png>
<img src=../../../../../d.png><img src="?e.png"><img src=./f.png><img src=g/../h.png><img src=g/./i.png>
<img src="j.png#part"><img src="#k"><div style="background: url(l.png)">x</div><svg><image href=m.png /></svg>
<img srcset="n.3.png 1x, ../n.5.png 2x"><template><base href=/no2/></template><img src=o.png>
<svg><base href=/no3/ /></svg><img src=p.png><video poster=q.png></video><img src="">""")

page("base elsewhere", """<!doctype html><base href="//images.example/dir/page"><img src=a.png><img src=/b.png>
<img src="//other.example/c.png"><img src="https://secure.example/d.png"><img src="http:e.png"><img src="http:/f.png">
<img src="HTTP://UPPER.example/g.png"><img src="//user:word@named.example/h.png"><img src="//named.example:80/i.png">
<img src="//named.example:8080/j.png"><img src="//b\u00fccher.example/k.png"><img src="//127.1/l.png">
<img src="//0x7f000001/m.png"><img src="//named.example./n.png"><img src="//%6eamed.example/o.png">
<img src="//na\tmed.exam\nple/p.png"><img src="//[::1]/q.png"><img src="ftp://no.example/no.png">
<img src="javascript:no.png"><img src="about:blank"><img src="mailto:no@no.example"><img src="blob:no.png">
<img src="//named.example"><img src="//named.example?r"><img src="http://">""")

page("addresses", """<!doctype html>
<img src="a b.png"><img src="\u00e4.png"><img src="%C3%A4-2.png"><img src="%zz.png"><img src="b.png?x=1&y=2">
<img src="c.png?x=1&amp;y=2"><img src="d\n.png"><img src="e\t.png"><img src="f\r\n.png"><img src="\\addresses\\g.png">
<img src="h\\i.png"><img src="\\\\back.example\\j.png"><img src="/\\back.example/k.png"><img src="http:\\\\back.example/l.png">
<img src="  m.png\n"><img src="n.png?\u00e4=\u20ac"><img src="o.png?a b"><img src='p.png?"'><img src="q|.png"><img src="r[].png">
<img src="s{}.png"><img src="t^.png"><img src="u`.png"><img src="v'.png"><img src="w.png?'"><img src="x&lt;&gt;.png">
<img src="%2e%2e/y.png"><img src="./%2E/z.png"><img src="za//zb.png"><img src="zc.png?"><img src="zd.png?#"><img src="ze;a=1.png">
<img src="zf:1.png"><img src="./zg:1.png"><img src="zh@2x.png"><img src="zi.png?a=../b"><img src="\u65e5\u672c.png">
<img src="\U0001f600.png"><img src="zj\u00a0.png"><img src="zk\u200d.png"><img src="zl\x7f.png"><img src="zm&#1;.png">
<img src="zn.png?%"><img src="&#x1;zo.png"><img src="zp.png&#x20;"><img src="/addresses//zq.png"><img src="///triple.example/zr.png">
<img src="zs.png?a\\b"><img src="zt+.png"><img src="zu,.png"><img src="zv&quot;.png">""")

page("entities", """<!doctype html>
<img src="a.png?x&amp;y"><img src="b.png?x&copy=1"><img src="c.png?x&copy;1"><img src="d.png?x&notit;y"><img src="e&#46;png">
<img src="f&#x2E;png"><img src="g&period;png"><img src="h&#46png"><img src="&#105;.png"><img src="j.png?&lt"><img src="k.png?&ltx">
<img src="l.png?&AMP;m&AMPm"><img src="m.png?&unknown;"><img src="n.png?&"><img src="o.png?&#"><img src="p.png?&#x"><img src="q.png?&#;">
<img src="r.png?&#128;"><img src="s.png?&#0;"><img src="t.png?&#xD800;"><img src="u.png?&#x110000;"><img src=v.png?a&amp;b>
<img src="w.png?&para&ps=1"><img src="x.png?&sect=1&sectx&sect;"><img srcset="y.3.png?a&amp;b 1x&comma; y.5.png 2x">
<div style="background: url(&quot;z.png&quot;)">x</div><div style='background: url(&#39;za.png&#39;)'>x</div>
<img src="zb.png?&nbsp;"><img src="zc.png?&NotEqualTilde;"><img src="zd.png?&#x1F600;"><img src="ze.png?&eacute">
<img src='zf.png?&eacute='><img src='zg.png?&eacute&'><img src="zh.png?a=1&amp;amp;b">
<style>.zi { background: url("zi.png?a&amp;b") }</style><p class=zi>x""")

page("quoting", """<!doctype html>
<img/src=a.png><img src=b.png/><img src = c.png ><img src\n=\n"d.png"\n><img src="e.png"alt="x"><img"src=no-f.png><img 'src=no-g.png>
<img src="h.png" src="no-h.png"><img alt=">" src=i.png><img alt='<img src=no-j.png>' src=j.png><img src=k'l.png><img src=m"n.png>
<img alt=src=no-o.png src=o.png><img = src=p.png><img =src=no-q.png src=q.png><img src==r.png><img src=s.png alt="x'y"z='w'>
<img\tsrc=t.png\n><img\fsrc=u.png><img src='v.png"'><img src=w.png alt><img alt src=x.png><img SrC=y.png><img src=`z.png`>
<img src=za.png / ><img / src=zb.png><img data-a=1 / / src=zc.png><imgsrc=no-zd.png><img src="ze
.png"><im\0g src=no-zf.png><img s\0rc=no-zg.png src=zg.png><img src="zh\0.png"><a<img src=no-zi.png>x</a>
<img <img src=zj.png><img src="zk.png"<img src="zl.png"><img alt="a" "b" src=zm.png><img alt=a<b src=zn.png>
<img src=zo.png style=background:url(zo-style.png)><img src=zp.png>< img src=no-zq.png></img src=no-zr.png><img-x src=no-zs.png>
<img xlink:href=no-zt.png href=no-zu.png><img on\x01=1 src=zv.png><p <img src=no-zw.png><img src="zx.png""")

page("comments", """<!doctype html>
<!-- <img src=no-a.png> --><img src=b.png><!--> <img src=c.png><!---> <img src=d.png><!-- --!> <img src=e.png>
<!-- a -- <img src=no-f.png> --><img src=g.png><!-- <!-- <img src=no-h.png> --> <img src=i.png> -->
<! <img src=no-j.png> <img src=k.png><?php <img src=no-l.png> ?> <img src=m.png></ <img src=no-n.png> <img src=o.png>
<![CDATA[ <img src=no-p.png> <img src=q.png> ]]> <img src=r.png><!--[if IE]><img src=no-s.png><![endif]-->
<![if !IE]><img src=t.png><![endif]><!--[if !IE]><!--><img src=u.png><!--<![endif]--><!----><img src=v.png>
<!-----><img src=w.png><!--x---><img src=x.png><!--!> <img src=no-y.png> --><!doctype <img src=no-z.png> <img src=za.png>
<!-- --- <img src=no-zb.png> ---!> <img src=zc.png><!-- ->-> <img src=no-zd.png> --> <!--<!-> <img src=no-ze.png> <!--> <img src=zf.png>
<!- <img src=no-zg.png> -> <img src=zh.png><%<img src=zi.png>%><!-- <img src=no-zj.png> --
> --> <img src=zk.png> <!-- <img src=no-zl.png>""")

page("text", """<!doctype html><title><img src=no-a.png></title>
<textarea><img src=no-b.png></textare><img src=no-c.png></textarea ><img src=d.png><xmp><img src=no-e.png></xmp><img src=f.png>
<script>var x = "<img src=no-g.png>";</script><script>/* </scripts><img src=no-h.png> */</script><img src=i.png>
<script><!-- <script> </script> <img src=no-j.png> --></script><img src=k.png><script type=text/html><img src=no-l.png></script>
<iframe><img src=no-m.png></iframe><img src=n.png><noembed><img src=no-o.png></noembed><noframes><img src=no-p.png></noframes>
<style>/* <img src=no-q.png> </style x><img src=r.png><listing><img src=s.png></listing><pre><img src=t.png></pre>
<select><option><img src=u.png></option></select><button><img src=v.png></button><TEXTAREA><img src=no-w.png></TextArea/><img src=x.png>
<title><!-- </title> --><img src=y.png><script>"</script/><img src=z.png>"</script>
<script><!-- <script </script> --> </script><img src=za.png><script><!--</script><img src=zb.png><textarea>&lt;/textarea><img src=no-zc.png></textarea>
<style><!-- </style><img src=zd.png><noscript></noscript><plaintext><img src=no-ze.png></plaintext><img src=no-zf.png>""")

page("noscript", """<!doctype html><head><noscript><link rel=preload as=image href=head.png><style>.a { background: url(style.png) }</style></noscript>
</head><body><p class=a>x</p><img data-src="lazy-b.png" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACADs=">
<noscript><img src=b.png></noscript><noscript><picture><source srcset=c.3a.png><img src=c.3b.png></picture></noscript>
<noscript><!-- <img src=no-d.png> --></noscript><img src=e.png><noscript><p>x<img src="f.png"></noscript><img src=g.png>
<template><img src=no-h.png><picture><source srcset=no-i.png></picture><style>p { background: url(no-j.png) }</style>
<div style="background: url(no-k.png)"></div></template><img src=l.png><template><template><img src=no-m.png></template>
<img src=no-n.png></template><img src=o.png></template><img src=p.png><div><template shadowrootmode=open><img src=q.png>
<style>i { background: url(r.png) }</style><i>x</i></template></div><img src=s.png>
<div><template shadowrootmode=closed><img src=t.png><template><img src=no-u.png></template><img src=v.png></template></div>
<div><template shadowrootmode=none><img src=no-w.png></template></div><table><template><tr><td><img src=no-x.png></template></table>
<img src=y.png><template><svg><image href=no-z.png /></svg><video poster=no-za.png></video><input type=image src=no-zb.png>""")

page("svg", """<!doctype html>
<svg width=9 height=9><image href=a.png width=9 height=9 /><image xlink:href=b.png width=9 height=9 />
<image href=c.png xlink:href=no-c.png width=9 height=9 /><IMAGE HREF=d.png width=9 height=9></IMAGE><img src=e.png>
<svg width=9 height=9><filter id=f><feImage href=f.png /></filter><rect width=9 height=9 filter="url(#f)" />
<style>.g { background: url(g.png) }</style><defs><pattern id=p width=9 height=9><image href=h.png width=9 height=9 /></pattern></defs>
<rect width=9 height=9 fill="url(#p)" style="fill: url(#p)" /><foreignObject width=9 height=9><img src=i.png><p class=g>x</p>
<svg><image href=j.png width=9 height=9 /></svg><textarea><img src=no-k.png></textarea></foreignObject>
<title><img src=l.png></title><desc><img src=m.png></desc><a href=no-n.html><image href=o.png width=9 height=9 /></a>
<![CDATA[ <img src=no-p.png> <image href=no-q.png /> ]]><image href=r.png width=9 height=9 /><!-- <image href=no-s.png /> -->
<style><![CDATA[ .t { background: url(t.png) } ]]></style><g><p class=t>x</p></g></svg>
<svg width=9 height=9><script>"<image href=u.png />"</script><textarea><image href=v.png width=9 height=9 /></textarea>
<image src=no-w.png /><image href="" /><image href="x.png#f" width=9 height=9 /><use href="#f" /></svg>
<math><mtext><img src=y.png></mtext><mi><img src=z.png></mi><annotation-xml encoding=text/html><img src=za.png></annotation-xml>
<annotation-xml><image href=no-zb.png /></annotation-xml></math><svg><font color=red><img src=zc.png></font></svg>
<svg><plaintext><image href=zd.png width=9 height=9 /></plaintext></svg><img src=ze.png><svg><title><svg><image href=zf.png width=9
height=9 /></svg></title><image href=zg.png width=9 height=9 /></svg><svg /><image src=zh.png><svg><desc/><image href=zi.png width=9 height=9 />""")

page("style attributes", """<!doctype html>
<p style="background: url(a.png)">x<p style="background-image:url( 'b.png' )">x<p style='background: url("c.png") no-repeat, URL(d.png)'>x
<p style="background: u\\72l(e.png)">x<p style="background: url(f\\.png)">x<p style="background: url(g\\28 1\\29.png)">x
<p style="background: url('h\\'.png')">x<p style="background: url(no-i i.png)">x<p style="background: url(no-j'j.png)">x
<p style="background: /* url(no-k.png) */ url(l.png)">x<p style="background: url(/*m*/.png)">x
<p style="background-image: image-set('n.3.png' 1x, 'n.5.png' 2x)">x
<p style="background-image: -webkit-image-set(url(o.3.png) 1x, url(o.5.png) 2x)">x
<p style="background-image: image-set('p.5.avif' type('image/avif'), 'p.5.png' type('image/png'))">x
<p style="background-image: image-set('q.3.png' 96dpi, 'q.5.png' 192dpi)">x
<ul style="list-style: square url(r.png)"><li>x</ul><p style="border: 9px solid; border-image: url(s.png) 3">x
<p style="background: linear-gradient(red, blue), url(t.png)">x<p style="content: 'url(no-u.png)'">x
<p style="background: url(v.png">x<p style="background: url('w.png">x<p style="background: url(known-x.png); background: url(y.png)">x
<p style="--image: url(z.png); background: var(--image)">x<p style="background:url(za.png)!important">x
<p style="background: url(zb.png?a=1&amp;b=2)">x<p style="background:url(\\7A c.png)">x<p style="background: url('zd\\
.png')">x<p style="background: url( ze.png )">x<p style="background: url()">x<p style="background: url('')">x
<p style="background: -webkit-cross-fade(url(zf.png), url(zg.png), 50%)">x
<p style="BACKGROUND: Url(zh.png)">x<p style="filter: url(#no)">x<p style="mask-image: url(zi.png)">x
<p style="background: url(data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACADs=)">x<p style=background:url(zj.png)>x
<p style="background: url(\\0000zk.png)">x<p style="background: url(zl\\26.png)">x<p style="background: url(\u00e4-zm.png)">x
<body style="cursor: url(zn.png), auto"><table background=zo.png><tr background=zp.png><td background=zq.png>x</table>""")

page("style elements", """<!doctype html><head><style>
@charset "utf-8"; @import url(no-a.css); @import "no-b.css"; @namespace no url(http://no.example/no-c);
@font-face { font-family: f; src: url(no-d.woff) format("woff"), url(no-d.png) }
.e { background: url(e.png) } .f::before { content: url(f.png) } .g { background: url("g.png"), url('h.png') }
@media screen { .i { background: url(i.png) } } @media print { .i { background: url(known-i.png) } }
@supports (display: grid) { .j { background: url(j.png) } @media all { .k { background: url(k.png) } } }
.l { & .m { background: url(m.png) } color: red; background: url(l.png) } @layer a { .n { background: url(n.png) } }
.unused { background: url(known-o.png) } .p { background: url(p.png } .never { color: red } ) }
.q { background: url(q.png) } /* .r { background: url(no-r.png) } */ .s { background: image-set(url(s.3.png) 1x, "s.5.png" 3x) }
.t { background: url(\nt.png\n) } .u { list-style-image: url(u.png) } .v[title="url(no-v.png)"] { background: url(known-v.png) }
<!-- .w { background: url(w.png) } --> .x { background-image: url(x.png), none, url(y.png) }
@keyframes z { from { background: url(known-z.png) } to { background: url(known-za.png) } }
:root { --zb: url(zb.png) } .zb { background: var(--zb) } .zc { background: url(zc.png)} .zd{background:url(zd.png)}
.ze { background: url("ze
.png") } .zf { background: url(zf.png) } .\\7A g { background: url(zg.png) } .zh { background: url('zh\\'.png') }
@property --zi { syntax: "<image>"; inherits: true; initial-value: url(known-zi.png) } @container (min-width: 1px) { .zj { background: url(known-zj.png) } }
</style><style type=text/less>.e { background: url(no-zk.png) }</style><style media=print>.e { background: url(known-zl.png) }</style>
<style type=text/css>.zm { background: url(zm.png) }</style><STYLE TYPE=TEXT/CSS>.zn { background: url(zn.png) }</STYLE></head>
<body>""" + "".join(f"<p class={c}>x</p>" for c in (
    "e f g i j k n p q s t v w x zb zc zd ze zf zg zh zj zm zn").split())
    + """<p class=l><i class=m>x</i></p><ul class=u><li>x</ul><svg><style>.zo { background: url(zo.png) }</style></svg><p class=zo>x
<style>.zp { background: url(zp.png) } .zq { background: url(zq.png</style><p class=zp>x<p class=zq>x
<style>.zr { background: url('zr.png</style><p class=zr>x<p class=zs>x<style>.zs { background: url(zs.png)""")

page("preload", """<!doctype html><head>
<link rel=preload as=image href=a.png><link rel="preload" as="image" imagesrcset="b.3.png 400w, b.5.png 1600w" imagesizes=50vw>
<link rel=preload as=image href=c.3.png imagesrcset="c.4.png 1x, c.5.png 2x"><link rel=PRELOAD as=IMAGE href=d.png>
<link rel=preload as=script href=no-e.png><link rel=preload href=no-f.png><link as=image href=no-g.png>
<link rel=preload as=image media=print href=known-h.png><link rel=preload as=image type=image/none href=known-i.png>
<link rel="preload nofollow" as=image href=j.png><link rel=prefetch as=image href=k.png>
<link rel=icon href=icon.png><link rel="shortcut icon" href=icon-2.ico><link rel=apple-touch-icon href=touch.png>
<link rel=image_src href=page.png><link rel=stylesheet href=no.css><link rel=alternate type=image/png href=no-l.png>
<meta property=og:image content=og.png><meta name=twitter:image content=twitter.png><meta itemprop=image content=item.png>
<script type=application/ld+json>{"@context": "https://schema.org", "image": ["ld.png", {"url": "ld2.png"}]}</script>
<link rel=modulepreload href=no-m.js><link rel=preload as=image href=""></head><a href=linked.jpg>x</a><a href=no-n.html>x</a>
<area href=linked-2.png><img data-src=lazy-a.png><div data-bg=lazy-b.png></div><img data-srcset="lazy-c.2.png 1x" src=lazy-c.1.png>
<link rel=preload as=image href=body.png><p data-background-image="url(lazy-d.png)">x""")

page("embedded", """<!doctype html>
<object data=a.png></object><object data=b.png type=image/png></object><object data=c type=image/png></object>
<object data=d.png><img src=d-inside.png></object><embed src=e.png><embed src=f.png type=image/png><embed src=g type=image/gif>
<object data=h.svg type=image/svg+xml></object><object type=text/html data=no-i.html></object><video poster=j.png><img src=k.png></video>
<audio><img src=l.png></audio><canvas><img src=m.png></canvas><iframe srcdoc="<img src=no-n.png>"></iframe><object><img src=o.png></object>
<object data="p.png?x=1"></object><object data=""></object><embed src=""><applet><img src=q.png></applet><marquee><img src=r.png></marquee>
<details><img src=s.png></details><dialog><img src=t.png></dialog><div hidden><img src=u.png></div><p style="display: none"><img src=v.png>""")

page("nesting", """<!doctype html>
<table><img src=a.png><tr><img src=b.png><td><img src=c.png></table><p><div><b><p><img src=d.png></b></div><a href=x><a href=y><img src=e.png>
</body></html><img src=f.png><html><body background=no-body.png><img src=g.png><head><img src=h.png></head><ul><li><img src=i.png><li><img src=j.png></ul>
</div></div></table></picture></template></svg><img src=k.png><h1><h2><img src=l.png></h1></h2><form><form><img src=m.png></form></form>
<b><i><u><s></b></i></u></s><img src=n.png><svg></p><img src=o.png><svg></div></svg><img src=p.png><svg><g></svg><img src=q.png></g>
<svg><foreignObject><div></svg><img src=r.png></div></foreignObject></svg><img src=s.png><caption><col><tbody><tr><td><th><img src=t.png>
<math><mi></math><img src=u.png></mi><noembed></noembed><figure><img src=v.png><figcaption>x<img src=w.png></figure><img src=x.png>
<figure><figure><img src=y.png></figure></figure><figcaption><img src=z.png></figcaption><picture><p><img src=za.png></p></picture>
<dl><dt><img src=zb.png><dd><img src=zc.png></dl><svg><image href=zd.png width=9 height=9><rect></image></svg><option><img src=ze.png>
<frameset><frame src=no-zf.html></frameset><ruby><rt><img src=zg.png></ruby><nobr><nobr><img src=zh.png><svg><b><img src=zi.png>
<math><mglyph src=no-zj.png /></math><mark><img src=zk.png></mark><unknown-element><img src=zl.png></unknown-element></p></br><img src=zm.png""")

OTHER = '<!doctype html>{}<img src="\u00e4.png"><img src=a.png><img src="a.png?\u00e4"><img srcset="\u00e9.3.png 1x, \u00e9.5.png 2x">' \
    '<p style="background: url(\u00fc.png?\u00fc)">x<video poster="\u00f6.png"></video><img src="&auml;-2.png?&auml;&euro;">'
page("mark of UTF-8", b"\xef\xbb\xbf" + OTHER.format("<meta charset=iso-8859-1>").encode(), "text/html; charset=iso-8859-1")
page("UTF-16, little", b"\xff\xfe" + OTHER.format("").encode("utf-16-le"), "text/html")
page("UTF-16, big", OTHER.format("").encode("utf-16-be"), "text/html; charset=utf-16be")
page("UTF-16, mark of the big", b"\xfe\xff" + OTHER.format("").encode("utf-16-be"), "text/html; charset=utf-8")
page("windows-1252", OTHER.format("") + "<img src='\u20ac\u0178.png?\u20ac\u0178'>", "text/html; charset=iso-8859-1", "cp1252")
page("meta", OTHER.format("<!-- x --><title>x</title><meta name=a content=b><meta charset='windows-1252'>"), "text/html", "cp1252")
page("meta of http-equiv", OTHER.format('<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1252">'), "text/html", "cp1252")
page("meta of utf-16", OTHER.format('<meta charset=utf-16>'), "text/html")
page("meta in a comment", OTHER.format('<!-- <meta charset=windows-1252> --><meta charset=utf-8>'), "text/html")
page("Cyrillic", "<!doctype html><img src='\u0436.png'><img src='a.png?\u0436'><img src='b.png?\u20ac&auml;'>",
     "text/html; charset=windows-1251", "cp1251")
page("XHTML as HTML", '<?xml version="1.0" encoding="windows-1252"?><html xmlns="http://www.w3.org/1999/xhtml"><head>'
     '<title>x</title><style type="text/css"/>.a{background:url(known-style.png)}</style></head><body><img src="a.png"/><script/>'
     '<img src="no-script.png"/></script><img src="b.png" /></body></html>', "text/html; charset=utf-8")

# Serving -----------------------------------------------------------------------------------------------------------------


def chunk(name, content=b""):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


PNG = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
       + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND"))
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = set()

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        Handler.asked.add(self.path)
        parts = self.path.split("/")
        at = int(parts[2]) if len(parts) == 4 and parts[1] == "pages" and parts[3] == "page.html" else None
        if at is not None:
            data, kind = pages[at][1], pages[at][2]
        elif ".svg" in self.path:
            data, kind = SVG, "image/svg+xml"
        elif any(end in self.path for end in (".html", ".css", ".js", ".woff", ".mp4")):
            data, kind = b"", "text/plain"
        else:
            data, kind = PNG, "image/png"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(data)


# The browser -------------------------------------------------------------------------------------------------------------


class Browser:
    """Headless Chromium, driven by its protocol over two pipes, which it expects as descriptors 3 and 4."""

    def __init__(self, port):
        orders, self.orders = os.pipe()
        self.answers, answers = os.pipe()
        high = [fcntl.fcntl(one, fcntl.F_DUPFD, 50) for one in (orders, answers)]

        def move():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={folder}/profile-pages", "--remote-debugging-pipe",
             "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable", "--no-proxy-server",
             f"--host-resolver-rules=MAP * 127.0.0.1:{port}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=move, pass_fds=(3, 4))
        for one in (orders, answers, *high):
            os.close(one)
        self.rest, self.number, self.session, self.events = b"", 0, None, []

    def read(self, seconds):
        """The next message, or None where none comes in time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.answers, 1 << 20)
            if not data:
                sys.exit("the browser has ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def order(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.orders, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read(60)
            if answer is None:
                sys.exit(f"the browser did not answer {method}")
            if answer.get("id") == self.number:
                return answer.get("result", {})
            self.events.append(answer)

    def begin(self):
        target = self.order("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.order("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for method in ("Page.enable", "Network.enable"):
            self.order(method)
        self.order("Network.setCacheDisabled", cacheDisabled=True)
        # So high that nothing waits until it is scrolled to.
        self.order("Emulation.setDeviceMetricsOverride", width=1200, height=20000, deviceScaleFactor=1, mobile=False)

    def pictures(self, url, has_scripts):
        """The addresses of the pictures that a page requests, in their order."""
        self.order("Page.navigate", url="about:blank")
        self.order("Emulation.setScriptExecutionDisabled", value=not has_scripts)
        self.events = []
        self.order("Page.navigate", url=url)
        found, is_loaded, events, frame = {}, False, self.events, None
        while True:
            for event in events:
                request = event.get("params", {})
                if event.get("method") == "Page.loadEventFired":
                    is_loaded = True
                if event.get("method") != "Network.requestWillBeSent":
                    continue
                address = request["request"]["url"]
                frame = frame or request.get("frameId")
                is_prefetched = request["type"] in ("Prefetch", "Other") and ".png" in address
                # An SVG of an object is a document of its own.
                is_object = request["type"] == "Document" and ".svg" in address
                is_own = is_object or request.get("frameId") == frame
                if (request["type"] == "Image" or is_prefetched or is_object) and is_own and address.startswith("http"):
                    found[plain(address)] = request["type"]
            # What comes half a second after the load event is all that comes.
            event = self.read(0.5 if is_loaded else 30)
            if event is None:
                if not is_loaded:
                    sys.exit(f"{url}: the browser did not load it")
                return found
            events = [event]


# Comparing ---------------------------------------------------------------------------------------------------------------


def listed(url):
    out = subprocess.run([binary, "find", "--json", "--cache", "off", "--no-config", "-q", "--kind",
                          "image,link,meta,icon,style", url], stdout=subprocess.PIPE).stdout
    return {row["url"]: row["kind"] for row in map(json.loads, out.splitlines())}


def group(url):
    """The picture that an address is a size of, and the size, of which several may differ by a letter."""
    name = re.fullmatch(r"(.*/)?([^/?]*)\.(\d)[a-z]?\.\w+(\?.*)?", url)
    # A larger one may stand in another folder.
    return (name[2], int(name[3])) if name else (url, 0)


def plain(url):
    """An address as it is listed: without a name and a password, and with marks that the standard leaves alone."""
    return re.sub(r"^(https?://)[^/?]*@", r"\1", url).replace("%7C", "|")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port = server.server_address[1]
    browser = Browser(port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wrong = asked = 0
    try:
        browser.begin()
        for at, (name, *_) in enumerate(pages):
            url = f"http://127.0.0.1:{port}/pages/{at}/page.html"
            without, with_scripts = browser.pictures(url, False), browser.pictures(url, True)
            requested = without | with_scripts
            found = listed(url)
            largest = {}
            for address in found:
                picture, size = group(address)
                largest[picture] = max(size, largest.get(picture, -1))
            smallest = {}
            for address in requested:
                picture, size = group(address)
                smallest[picture] = min(size, smallest.get(picture, 9))
            missing = [one for one in requested if one not in found and largest.get(group(one)[0], -1) < group(one)[1]]
            extra = [one for one, kind in found.items() if one not in requested and kind in ("image", "style")
                     and not any(part in one for part in ("/lazy-", "/known-"))
                     and smallest.get(group(one)[0], 9) > group(one)[1]]
            asked_of_server = set(map(plain, Handler.asked))
            unserved = [one for one in requested if one.startswith(f"http://127.0.0.1:{port}/")
                        and one.split(str(port), 1)[1] not in asked_of_server]
            asked += len(requested)
            wrong += len(missing) + len(extra) + len(unserved)
            print(f"{name}: {len(without)} requested without scripts, {len(with_scripts)} with, {len(found)} listed")
            for one in missing:
                print(f"  DIFFERENT: requested and not listed: {one}")
            for one in extra:
                print(f"  DIFFERENT: listed and not requested: {one} ({found[one]})")
            for one in unserved:
                print(f"  DIFFERENT: told as requested, and the server was not asked: {one}")
    finally:
        browser.process.terminate()
        browser.process.wait()
    print(f"{len(pages)} pages, {asked} pictures requested, {wrong} differences")
    sys.exit(1 if wrong else 0)


main()
