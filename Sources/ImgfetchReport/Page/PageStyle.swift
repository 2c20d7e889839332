/// The style of the page: light and dark, on a phone and on paper. Its colours have a contrast of 4.5 to 1 at least, as
/// text, and 3 to 1 as shapes.
package enum PageStyle {
  package static let text = """
    :root{color-scheme:light dark;--ground:#fbfbfa;--card:#fff;--ink:#1d2126;--faint:#565e68;--line:#d9dce0;--link:#0b57a4;\
    --a:#1f6fb2;--b:#b4532a;--c:#3d7d3a;--d:#7a4fa3;--e:#8a6d00;--bad:#b3261e}
    @media (prefers-color-scheme:dark){:root{--ground:#14171a;--card:#1c2024;--ink:#e6e8ea;--faint:#a3abb4;--line:#353b42;\
    --link:#7db8f0;--a:#5aa5e6;--b:#e58a5c;--c:#74b96f;--d:#b58be0;--e:#d1ad2f;--bad:#f2887f}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
    header,nav,main,footer{max-width:75rem;margin:0 auto;padding:0 1rem}
    h1{font-size:1.6rem;margin:1.5rem 0 .25rem}
    h2{font-size:1.2rem;margin:0 0 .5rem}
    h3{font-size:1rem;margin:1rem 0 .5rem}
    a{color:var(--link)}
    a:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px}
    .skip{position:absolute;left:-999px}
    .skip:focus{position:static}
    .lead{font-size:1.1rem;margin:.25rem 0}
    .note,figcaption,footer{color:var(--faint);font-size:.875rem}
    nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0;margin:1rem 0}
    section{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1rem;margin:0 0 1rem}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
    caption{text-align:left;color:var(--faint);font-size:.875rem}
    th,td{padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;\
    overflow-wrap:anywhere}
    td,th[scope=row]{min-width:9rem}
    td:last-child:not(.n){min-width:16rem}
    .n{min-width:3.5rem!important}
    th{font-weight:600}
    thead th{color:var(--faint);font-size:.875rem}
    .n{text-align:right;white-space:nowrap}
    svg{display:block;width:100%;height:auto;max-width:60rem}
    svg text{fill:var(--faint);font-size:12px}
    .axis{stroke:var(--line);stroke-width:1}
    .a{fill:var(--a)}.b{fill:var(--b)}.c{fill:var(--c)}.d{fill:var(--d)}.e{fill:var(--e)}.bad{fill:var(--bad)}
    .flow{fill:none;stroke:var(--a);stroke-width:2}
    .key{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0;margin:.25rem 0;font-size:.875rem}
    .key svg{display:inline-block;width:12px;height:12px;margin-right:.35rem}
    .sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:1rem;list-style:none;padding:0;margin:.5rem 0}
    figure{margin:0}
    .frame{display:flex;align-items:center;justify-content:center;height:8rem;background:var(--ground);border:1px solid var(--line);\
    border-radius:.25rem;color:var(--faint);font-size:.875rem;overflow:hidden}
    .frame img{max-width:100%;max-height:100%;width:100%;height:100%;object-fit:contain}
    figcaption{overflow-wrap:anywhere;line-height:1.3;margin-top:.25rem}
    @media (max-width:40rem){.flowing text{font-size:20px}}
    @media print{body{background:#fff}nav,.skip{display:none}section{break-inside:avoid;border-color:#999}}

    """
}
