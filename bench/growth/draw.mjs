// Draws what `run.mjs` measured: a table in Markdown, and a plot in SVG of a panel for each path (processor time of a request by
// the number of clients; a line for each number of donations, dashed for the bare one).
//   node bench/growth/draw.mjs growth.json [plot.svg]
import { readFileSync, writeFileSync } from 'node:fs';

const [file, plot] = process.argv.slice(2);
if (!file) throw new Error('Which JSON? node bench/growth/draw.mjs growth.json [plot.svg]');
const runs = JSON.parse(readFileSync(file, 'utf8'));
const names = [...new Set(runs.flatMap(({ figures }) => figures.map(({ name }) => name)))];
const clients = [...new Set(runs.flatMap(({ figures }) => figures.map(({ connections }) => connections)))];
const figureOf = (run, name, connections) =>
  run.figures.find((figure) => figure.name === name && figure.connections === connections);
const short = (count) => (count >= 1e6 ? `${count / 1e6} M` : `${count / 1e3} k`);

const row = (cells) => `| ${cells.join(' | ')} |`;
const cell = (figure) =>
  figure
    ? `${figure.ours.perSecond} · ${figure.requests} · ${figure.cpu} · ${Math.round(figure.ours.p99)} ms`
    : '';
console.log('Each: ours a second · of the bare one · CPU of a request by that of the bare one · p99\n');
const head = ['path', 'donations', ...clients.map((count) => `${count} client${count === 1 ? '' : 's'}`)];
console.log(row(head));
console.log(row(head.map(() => '---')));
for (const name of names)
  for (const run of runs)
    console.log(
      row([
        name,
        short(run.donations),
        ...clients.map((connections) => cell(figureOf(run, name, connections))),
      ]),
    );
if (plot) writeFileSync(plot, draw());

function draw() {
  const [width, height, columns] = [230, 150, 4];
  const colours = ['#7aa6c2', '#0a7c66', '#b5541c'];
  const rows = Math.ceil(names.length / columns);
  const text = (x, y, anchor, content, more = '') =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" ${more}>${content}</text>`;
  const panel = (name, index) => {
    const [left, top] = [30 + (index % columns) * width, 40 + Math.floor(index / columns) * height];
    const [inner, tall] = [width - 50, height - 60];
    const all = runs.flatMap((run) =>
      clients.flatMap((connections) => {
        const found = figureOf(run, name, connections);
        return found ? [found.ours.cpuMs, found.bare.cpuMs] : [];
      }),
    );
    const most = Math.max(...all);
    const x = (at) => left + (inner * at) / Math.max(1, clients.length - 1);
    const y = (value) => top + tall - (tall * value) / most;
    const line = (run, side, colour) => {
      const points = clients.flatMap((connections, at) => {
        const found = figureOf(run, name, connections);
        return found ? [`${x(at).toFixed(1)},${y(found[side].cpuMs).toFixed(1)}`] : [];
      });
      const dash = side === 'bare' ? 'stroke-dasharray="3 3"' : '';
      return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5" ${dash}/>`;
    };
    return [
      text(left, top - 10, 'start', name, 'font-weight="bold"'),
      `<line x1="${left}" x2="${left + inner}" y1="${top + tall}" y2="${top + tall}" stroke="#bbb"/>`,
      text(left - 4, y(most) + 4, 'end', most.toPrecision(2), 'font-size="9"'),
      ...clients.map((connections, at) =>
        text(x(at), top + tall + 13, 'middle', connections, 'font-size="9"'),
      ),
      ...runs.flatMap((run, at) =>
        ['ours', 'bare'].map((side) => line(run, side, colours[at % colours.length])),
      ),
    ].join('\n');
  };
  const [whole, tall] = [columns * width + 20, rows * height + 40];
  const key = runs.map(
    (run, at) =>
      `<rect x="${30 + at * 130}" y="${tall - 20}" width="10" height="10" fill="${colours[at % colours.length]}"/>${text(44 + at * 130, tall - 11, 'start', `${short(run.donations)} donations`)}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole} ${tall}" font-family="sans-serif" font-size="11" fill="#333">
<rect width="100%" height="100%" fill="#fff"/>
${names.map(panel).join('\n')}
${key.join('\n')}
${text(whole - 20, tall - 11, 'end', 'milliseconds of CPU a request by clients; dashed: bare')}
</svg>
`;
}
