// Draws the bench's JSON as a table in Markdown and as a plot in SVG (CPU per request, ours beside bare).
// `node bench/draw.mjs bench.json [plot.svg]`
import { readFileSync, writeFileSync } from 'node:fs';

const [file, plot] = process.argv.slice(2);
if (!file) throw new Error('Which JSON? node bench/draw.mjs bench.json [plot.svg]');
const { machine, donations, figures, start } = JSON.parse(readFileSync(file, 'utf8'));

const row = (cells) => `| ${cells.join(' | ')} |`;
const head = [
  'path',
  'clients',
  'ours/s',
  'bare/s',
  'ratio',
  'ours CPU ms',
  'bare CPU ms',
  'CPU ratio',
  'ours p99',
  'bare p99',
];
console.log(`${machine.cores} cores, Node ${machine.node}, ${donations} donations, ${machine.date}\n`);
console.log(row(head));
console.log(row(head.map(() => '---')));
for (const { name, connections, ours, bare, requests, cpu } of figures)
  console.log(
    row([
      name,
      connections,
      ours.perSecond,
      bare.perSecond,
      requests,
      ours.cpuMs,
      bare.cpuMs,
      cpu,
      `${ours.p99} ms`,
      `${bare.p99} ms`,
    ]),
  );
if (start)
  console.log(`\nReady after ${start.readyMs} ms (${start.cpuMs} ms of CPU); ${start.idleMb} MB at rest.`);
if (plot) writeFileSync(plot, svg());

/** Two bars for each path, on a logarithmic scale: they lie between a hundredth and ten milliseconds. */
function svg() {
  const shown = figures.map((figure) => ({
    ...figure,
    label: figures.some(({ connections }) => connections !== figure.connections)
      ? `${figure.name}, ${figure.connections}`
      : figure.name,
  }));
  const all = shown.flatMap(({ ours, bare }) => [ours.cpuMs, bare.cpuMs]).filter((value) => value > 0);
  const low = 10 ** Math.floor(Math.log10(Math.min(...all)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...all)));
  const [left, width, line] = [190, 430, 34];
  const height = shown.length * line + 50;
  const x = (value) => left + (width * Math.log10(Math.max(value, low) / low)) / Math.log10(high / low);
  const ticks = [];
  for (let tick = low; tick <= high * 1.01; tick *= 10) ticks.push(tick);
  const text = (at, y, anchor, content) =>
    `<text x="${at}" y="${y}" text-anchor="${anchor}">${content}</text>`;
  const bar = (y, value, fill) =>
    `<rect x="${left}" y="${y}" width="${Math.max(1, x(value) - left).toFixed(1)}" height="11" fill="${fill}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 70} ${height}" font-family="sans-serif" font-size="12" fill="#333">
<rect width="100%" height="100%" fill="#fff"/>
${ticks.map((tick) => `<line x1="${x(tick)}" x2="${x(tick)}" y1="20" y2="${height - 26}" stroke="#ddd"/>${text(x(tick), 14, 'middle', `${Number(tick.toPrecision(1))} ms`)}`).join('\n')}
${shown
  .map(({ label, ours, bare, cpu }, index) => {
    const y = 26 + index * line;
    return `${text(left - 8, y + 15, 'end', label)}${bar(y, ours.cpuMs, '#0a7c66')}${bar(y + 12, bare.cpuMs, '#9aa5a0')}${text(Math.max(x(ours.cpuMs), x(bare.cpuMs)) + 6, y + 15, 'start', `${cpu}×`)}`;
  })
  .join('\n')}
<rect x="${left}" y="${height - 16}" width="10" height="10" fill="#0a7c66"/>${text(left + 14, height - 7, 'start', 'ours')}
<rect x="${left + 60}" y="${height - 16}" width="10" height="10" fill="#9aa5a0"/>${text(left + 74, height - 7, 'start', 'bare; milliseconds of CPU a request')}
</svg>
`;
}
