import { type Colour, contrastOf, READABLE } from './contrast.js';

/** Page colours derived from a charity's branding, so that every text is readable on every surface. */

export type Scheme = 'light' | 'dark' | 'gala';

/** Colours of the branding. An absent colour has the default value of the scheme. */
export interface BrandColours {
  readonly brand?: Colour | undefined;
  readonly paper?: Colour | undefined;
  readonly ink?: Colour | undefined;
}

const SURFACES = [
  'paper',
  'surface',
  'surface-raised',
  'desk',
  'hover',
  'press',
  'brand-soft',
  'gold-soft',
  'good-soft',
  'warn-soft',
  'bad-soft',
  'info-soft',
  'quiet-soft',
  'glow-brand',
  'glow-gold',
] as const;
/** Surfaces on which all text has the main colour. */
const INK_SURFACES = ['festive', 'festive-glow'] as const;
const TEXTS = ['ink', 'ink-soft', 'brand-ink', 'good', 'warn', 'bad', 'info'] as const;
const FILLS = ['brand', 'good', 'bad'] as const;
const EDGES = ['brand-edge', 'line-strong'] as const;

type Surface = (typeof SURFACES)[number] | (typeof INK_SURFACES)[number];
type Token =
  | Surface
  | (typeof TEXTS)[number]
  | (typeof EDGES)[number]
  | `on-${(typeof FILLS)[number]}`
  | 'brand'
  | 'gold'
  | 'line'
  | 'track'
  | 'gauge-from';

/** Minimum contrast between the edges of controls and their background. */
const VISIBLE = 3;

/** Pairs of a colour and its background that pages use, each with its minimum contrast. */
export const USED_TOGETHER: readonly (readonly [front: Token, back: Token, needed: number])[] = [
  ...TEXTS.flatMap((text) => SURFACES.map((surface) => [text, surface, READABLE] as const)),
  ...INK_SURFACES.map((surface) => ['ink', surface, READABLE] as const),
  ...FILLS.map((fill) => [`on-${fill}`, fill, READABLE] as const),
  ...EDGES.flatMap((edge) => SURFACES.map((surface) => [edge, surface, VISIBLE] as const)),
  ['brand-edge', 'track', VISIBLE],
];

const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];
const STEPS = 64;

const hex = (text: string): Colour =>
  [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as unknown as Colour;

const LIGHT = {
  ink: hex('#16241f'),
  paper: hex('#fbf7f0'),
  brand: hex('#0d5c4c'),
  gold: hex('#e2a03a'),
  good: hex('#14694f'),
  warn: hex('#8a5a00'),
  bad: hex('#b3261e'),
  lift: WHITE,
  lifts: [0.78, 1],
} as const;
const DARK = {
  ink: hex('#eef5f1'),
  paper: hex('#0f1a16'),
  brand: hex('#6ed3b4'),
  gold: hex('#f2c063'),
  good: hex('#7fdcb8'),
  warn: hex('#f2c063'),
  bad: hex('#ffb4ab'),
  lift: WHITE,
  lifts: [0.06, 0.1],
} as const;
/** Colours of the gala scheme: plum and gold. */
const GALA = {
  ...DARK,
  ink: hex('#fdf5e6'),
  paper: hex('#1d0f20'),
  brand: hex('#e9bf6b'),
  gold: hex('#f6dfa4'),
  lift: hex('#ffe9c2'),
  lifts: [0.08, 0.13],
} as const;
const GALA_GAUGE = hex('#b0486b');
const INFO = hex('#5a6fd0');

const mix = (colour: Colour, share: number, rest: Colour): Colour =>
  colour.map((part, at) => Math.round(part * share + (rest[at] ?? 0) * (1 - share))) as unknown as Colour;

/**
 * Mixes the given colour with `end` step by step, and returns the first mixture that passes the test. `end` itself must pass.
 */
function nearest(colour: Colour, end: Colour, passes: (colour: Colour) => boolean): Colour {
  for (let step = 0; step < STEPS; step += 1) {
    const tried = mix(end, step / STEPS, colour);
    if (passes(tried)) return tried;
  }
  return end;
}

/** Returns black or white, whichever is easier to read on the given colour. */
const extremeOn = (paper: Colour): Colour =>
  contrastOf(BLACK, paper) > contrastOf(WHITE, paper) ? BLACK : WHITE;

export const isDark = (paper: Colour): boolean => extremeOn(paper) === WHITE;

/** Returns the colour nearest to the given one that is readable on the background `back`. */
export const readableOn = (colour: Colour, back: Colour, needed: number = READABLE): Colour =>
  nearest(colour, extremeOn(back), (tried) => contrastOf(tried, back) >= needed);

/** Returns the text colour for a filled button: white if white is readable, otherwise a very dark shade of the fill. */
const textOn = (fill: Colour): Colour =>
  contrastOf(WHITE, fill) >= READABLE ? WHITE : readableOn(mix(fill, 0.16, BLACK), fill);

/**
 * Returns every colour of the pages. The paper colour stays unchanged and decides whether texts are dark or light. Surfaces
 * move towards the paper colour, texts and edges towards black or white, until each pair of `USED_TOGETHER` has enough
 * contrast.
 */
export function palette(given: BrandColours, scheme: Scheme): Readonly<Record<Token, Colour>> {
  const own = { light: LIGHT, dark: DARK, gala: GALA }[scheme];
  const paper = given.paper ?? own.paper;
  const dark = isDark(paper);
  const base = dark === (own !== LIGHT) ? own : dark ? DARK : LIGHT;
  const extreme = extremeOn(paper);
  const wanted = given.ink ?? base.ink;
  const brand = given.brand ?? base.brand;
  const { gold, lift, lifts } = base;
  const surface = (colour: Colour, share: number): Colour =>
    nearest(mix(colour, share, paper), paper, (tried) => contrastOf(extreme, tried) >= READABLE);
  const raised = surface(lift, lifts[1]);
  // Tints use a readable form of the text colour, because the branding's text colour may not be readable.
  const ink = readableOn(wanted, paper);
  const info = mix(INFO, 0.55, ink);
  const surfaces: Record<(typeof SURFACES)[number], Colour> = {
    paper,
    surface: surface(lift, lifts[0]),
    'surface-raised': raised,
    desk: surface(mix(paper, 0.55, raised), 1),
    hover: surface(ink, 0.06),
    press: surface(ink, 0.12),
    'brand-soft': surface(brand, 0.1),
    'gold-soft': surface(gold, 0.17),
    'good-soft': surface(base.good, 0.12),
    'warn-soft': surface(base.warn, 0.12),
    'bad-soft': surface(base.bad, 0.12),
    'info-soft': surface(info, 0.12),
    'quiet-soft': surface(ink, 0.1),
    'glow-brand': surface(brand, 0.16),
    'glow-gold': surface(gold, 0.2),
  };
  const backs = SURFACES.map((name) => surfaces[name]);
  const on = (colour: Colour, all: readonly Colour[], needed: number): Colour =>
    nearest(colour, extreme, (tried) => all.every((back) => contrastOf(tried, back) >= needed));
  const text = (colour: Colour): Colour => on(colour, backs, READABLE);
  const [good, bad, main] = [text(base.good), text(base.bad), text(wanted)];
  const festive = (colour: Colour): Colour =>
    nearest(colour, paper, (tried) => contrastOf(main, tried) >= READABLE);
  const track = surface(ink, 0.15);
  const edge = on(brand, [...backs, track], VISIBLE);
  const bright = mix(brand, 0.22, paper);
  return {
    ...surfaces,
    festive: festive(bright),
    'festive-glow': festive(mix(gold, 0.34, bright)),
    ink: main,
    'ink-soft': text(mix(ink, 0.76, paper)),
    'brand-ink': text(brand),
    'brand-edge': edge,
    'line-strong': on(mix(ink, 0.52, paper), backs, VISIBLE),
    line: mix(ink, 0.16, paper),
    track,
    brand,
    'on-brand': textOn(brand),
    good,
    'on-good': textOn(good),
    warn: text(base.warn),
    bad,
    'on-bad': textOn(bad),
    info: text(info),
    gold,
    'gauge-from': scheme === 'gala' ? mix(edge, 0.7, GALA_GAUGE) : edge,
  };
}

export const toHex = (colour: Colour): string =>
  `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

const SHADOW = {
  light: '0 1px 2px rgb(22 36 31 / 8%), 0 10px 30px -12px rgb(22 36 31 / 22%)',
  dark: '0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px -12px rgb(0 0 0 / 60%)',
};

/** Returns the palette as CSS properties by name. */
export function paletteProperties(given: BrandColours, scheme: Scheme): Readonly<Record<string, string>> {
  const colours = palette(given, scheme);
  const kind = isDark(colours.paper) ? 'dark' : 'light';
  return {
    'color-scheme': kind,
    ...Object.fromEntries(Object.entries(colours).map(([name, colour]) => [`--${name}`, toHex(colour)])),
    // Translucent paper colour, for pages that a video mixer shows over a picture.
    '--paper-glass': `${toHex(colours.paper)}e6`,
    '--shadow': SHADOW[kind],
  };
}
