// Writes the table of docs/performance.md and the plot docs/pictures/performance.svg from figures.json and the
// budgets.
//   node bench/performance-page.mjs [--check]   with --check: fails if the page or the plot differs from the figures
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { BESIDE, BUDGETS } from './budgets.mjs';

const PAGE = 'docs/performance.md';
const PLOT = 'docs/pictures/performance.svg';
const NODES = ['20', '24'];
const [BEGIN, END] = ['<!-- table: bench/performance-page.mjs -->', '<!-- end of table -->'];

const { works, evening } = JSON.parse(readFileSync('bench/figures.json', 'utf8'));

const rows = Object.entries(BUDGETS).flatMap(([work, budgets]) =>
  Object.entries(budgets).map(([name, budget]) => ({
    work: /ratio|times/.test(name) ? work : `${work}: ${name}`,
    beside: (/ratio|times/.test(name) && BESIDE[work]) || '',
    budget,
    figures: works[work]?.[name] ?? {},
  })),
);

/** A result of 1 exactly meets the budget; 2 is twice as good. */
const shareOf = (figure, { least, most }) =>
  least === undefined ? (most === 0 ? Number(figure === 0) : most / figure) : figure / least;
const budgetText = ({ least, most }) => (least === undefined ? `≤ ${number(most)}` : `≥ ${number(least)}`);
const number = (value) => value.toLocaleString('en', { maximumFractionDigits: 2 });
const measured = (figure) => figure !== undefined && figure !== null;
const mark = (text, kept) => (kept ? text : `**${text} (missed)**`);

const NOT_MEASURED = 'not measured';
const cell = (figure, budget) =>
  measured(figure) ? mark(number(figure), shareOf(figure, budget) >= 1) : NOT_MEASURED;
const eveningCell = (figure, kept) => (measured(figure) ? mark(figure, kept) : NOT_MEASURED);

const table = [
  ['work', 'compared with', 'budget', ...NODES.map((node) => `Node ${node}`)],
  Array(3 + NODES.length).fill('--'),
  ...rows.map(({ work, beside, budget, figures }) => [
    work,
    beside,
    budgetText(budget),
    ...NODES.map((node) => cell(figures[node], budget)),
  ]),
  ...evening.map(({ work, goal, figures, kept }) => [
    work,
    '',
    goal,
    ...NODES.map((node) => eveningCell(figures[node], kept)),
  ]),
]
  .map((cells) => `| ${cells.join(' | ')} |`)
  .join('\n');

await write(PAGE, await pageWith(table));
await write(PLOT, plot());

async function pageWith(text) {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1] ?? '';
  return format(`${before}${BEGIN}\n\n${text}\n\n${END}${after}`, {
    ...(await resolveConfig(PAGE)),
    filepath: PAGE,
  });
}

/**
 * Draws one line for each budget, with a mark for each version of Node. A mark to the right of the middle line meets the
 * budget.
 */
function plot() {
  const [left, right, top, line] = [385, 890, 62, 22];
  const shown = rows.filter(({ budget }) => budget.most !== 0);
  const [low, high] = [-3, 5];
  const bounded = (share) => Math.min(high, Math.max(low, Math.log2(share)));
  const x = (share) => Math.round(left + ((bounded(share) - low) / (high - low)) * (right - left));
  const height = top + shown.length * line + 20;
  const ticks = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32];
  const label = (share) => (share < 1 ? `1/${1 / share}` : `${share}×`);
  const marks = shown.map(({ work, budget, figures }, index) => {
    const y = top + index * line + line / 2;
    const points = NODES.filter((node) => measured(figures[node])).map((node) => {
      const share = shareOf(figures[node], budget);
      const title = `${work}, Node ${node}: ${number(figures[node])}, budget ${budgetText(budget)}`;
      return `<g class="${share >= 1 ? 'kept' : 'missed'}"><title>${escaped(title)}</title>${shapeOf(node, x(share), y)}</g>`;
    });
    return `<text x="${left - 14}" y="${y + 4}" text-anchor="end">${escaped(work)}</text><line class="row" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/>${points.join('')}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 ${height}" role="img" aria-label="Each figure as a share of its budget">
<style>
  .ground { fill: #ffffff; stroke: #d0d7de }
  text { fill: #1f2328; font: 13px system-ui, sans-serif }
  .small { font-size: 11px }
  .row, .tick { stroke: #d8dee4 }
  .budget { stroke: #1f2328; stroke-width: 2 }
  .kept { fill: #1a7f37; stroke: #1a7f37 }
  .missed { fill: #cf222e; stroke: #cf222e }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d }
    text { fill: #e6edf3 }
    .row, .tick { stroke: #2f353d }
    .budget { stroke: #e6edf3 }
    .kept { fill: #3fb950; stroke: #3fb950 }
    .missed { fill: #ff7b72; stroke: #ff7b72 }
  }
</style>
<rect class="ground" x="0.5" y="0.5" width="919" height="${height - 1}" rx="8"/>
<text x="20" y="26">Figure divided by budget. Right of the line: kept. Left of the line: missed.</text>
<g class="kept">${shapeOf('20', 640, 22)}</g><text x="652" y="26">Node 20</text>
<g class="kept">${shapeOf('24', 740, 22)}</g><text x="752" y="26">Node 24</text>
${ticks.map((share) => `<line class="${share === 1 ? 'budget' : 'tick'}" x1="${x(share)}" x2="${x(share)}" y1="${top - 6}" y2="${height - 14}"/><text class="small" x="${x(share)}" y="${top - 12}" text-anchor="middle">${share === 1 ? 'budget' : label(share)}</text>`).join('\n')}
${marks.join('\n')}
</svg>
`;
}

/** Returns a filled circle for Node 20, an empty square for Node 24. */
function shapeOf(node, x, y) {
  return node === '20'
    ? `<circle cx="${x}" cy="${y}" r="5"/>`
    : `<rect x="${x - 5}" y="${y - 5}" width="10" height="10" fill-opacity="0" stroke-width="2"/>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

async function write(file, text) {
  if (!process.argv.includes('--check')) return writeFileSync(file, text);
  if (readFileSync(file, 'utf8') === text) return;
  console.error(`${file} differs from bench/figures.json. Run "node bench/performance-page.mjs".`);
  process.exitCode = 1;
}
