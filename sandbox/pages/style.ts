/** The style sheet of all pages. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b2430; --soft: #5b6776; --line: #d8dee6; --paper: #fff; --back: #f3f5f8; --accent: #3d4ed8; --good: #13734b; --bad: #b3261e; --wait: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #9aa7b6; --line: #323c49; --paper: #1a212a; --back: #11161d; --accent: #8f9bff; --good: #5fd3a0; --bad: #ff8a80; --wait: #f0c05a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p.lead { color: var(--soft); margin: 0 0 1rem; }
table { width: 100%; border-collapse: collapse; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
th, td { text-align: left; padding: .55rem .7rem; border-top: 1px solid var(--line); vertical-align: top; }
th { font-size: .8rem; color: var(--soft); border-top: 0; font-weight: 600; }
td.sum { font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font-size: .8rem; color: var(--soft); overflow-wrap: anywhere; }
form { display: inline-flex; gap: .3rem; margin: 0 .3rem .3rem 0; align-items: center; }
button, .button { font: inherit; font-size: .85rem; padding: .25rem .7rem; border-radius: .4rem; border: 1px solid var(--line); background: var(--back); color: var(--ink); cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { border-color: var(--accent); }
button:focus-visible, input:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--paper); }
input { font: inherit; font-size: .85rem; width: 6rem; padding: .2rem .4rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); color: var(--ink); }
.state { font-weight: 600; font-size: .85rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .wait { color: var(--wait); }
.card { max-width: 26rem; margin: 10vh auto; background: var(--paper); border: 1px solid var(--line); border-radius: .8rem; padding: 2rem; text-align: center; }
.card form { display: flex; flex-direction: column; margin: .5rem 0 0; align-items: stretch; }
.card button { padding: .7rem; font-size: 1rem; width: 100%; }
.card .amount { font-size: 2.2rem; font-weight: 700; margin: .5rem 0 1rem; }
.note { background: var(--paper); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: .4rem; padding: .6rem .9rem; }
.empty { color: var(--soft); background: var(--paper); border: 1px dashed var(--line); border-radius: .5rem; padding: 1rem; }
`;
