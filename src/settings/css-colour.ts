import { type Colour } from './contrast.js';

/** Names of CSS colours, each followed by its six hexadecimal digits. */
const NAMED = new Map(
  `
  alicebluef0f8ff antiquewhitefaebd7 aqua00ffff aquamarine7fffd4 azuref0ffff beigef5f5dc bisqueffe4c4
  black000000 blanchedalmondffebcd blue0000ff blueviolet8a2be2 browna52a2a burlywooddeb887
  cadetblue5f9ea0 chartreuse7fff00 chocolated2691e coralff7f50 cornflowerblue6495ed cornsilkfff8dc
  crimsondc143c cyan00ffff darkblue00008b darkcyan008b8b darkgoldenrodb8860b darkgraya9a9a9
  darkgreen006400 darkgreya9a9a9 darkkhakibdb76b darkmagenta8b008b darkolivegreen556b2f
  darkorangeff8c00 darkorchid9932cc darkred8b0000 darksalmone9967a darkseagreen8fbc8f
  darkslateblue483d8b darkslategray2f4f4f darkslategrey2f4f4f darkturquoise00ced1 darkviolet9400d3
  deeppinkff1493 deepskyblue00bfff dimgray696969 dimgrey696969 dodgerblue1e90ff firebrickb22222
  floralwhitefffaf0 forestgreen228b22 fuchsiaff00ff gainsborodcdcdc ghostwhitef8f8ff goldffd700
  goldenroddaa520 gray808080 green008000 greenyellowadff2f grey808080 honeydewf0fff0 hotpinkff69b4
  indianredcd5c5c indigo4b0082 ivoryfffff0 khakif0e68c lavendere6e6fa lavenderblushfff0f5
  lawngreen7cfc00 lemonchiffonfffacd lightblueadd8e6 lightcoralf08080 lightcyane0ffff
  lightgoldenrodyellowfafad2 lightgrayd3d3d3 lightgreen90ee90 lightgreyd3d3d3 lightpinkffb6c1
  lightsalmonffa07a lightseagreen20b2aa lightskyblue87cefa lightslategray778899 lightslategrey778899
  lightsteelblueb0c4de lightyellowffffe0 lime00ff00 limegreen32cd32 linenfaf0e6 magentaff00ff
  maroon800000 mediumaquamarine66cdaa mediumblue0000cd mediumorchidba55d3 mediumpurple9370db
  mediumseagreen3cb371 mediumslateblue7b68ee mediumspringgreen00fa9a mediumturquoise48d1cc
  mediumvioletredc71585 midnightblue191970 mintcreamf5fffa mistyroseffe4e1 moccasinffe4b5
  navajowhiteffdead navy000080 oldlacefdf5e6 olive808000 olivedrab6b8e23 orangeffa500 orangeredff4500
  orchidda70d6 palegoldenrodeee8aa palegreen98fb98 paleturquoiseafeeee palevioletreddb7093
  papayawhipffefd5 peachpuffffdab9 perucd853f pinkffc0cb plumdda0dd powderblueb0e0e6 purple800080
  rebeccapurple663399 redff0000 rosybrownbc8f8f royalblue4169e1 saddlebrown8b4513 salmonfa8072
  sandybrownf4a460 seagreen2e8b57 seashellfff5ee siennaa0522d silverc0c0c0 skyblue87ceeb
  slateblue6a5acd slategray708090 slategrey708090 snowfffafa springgreen00ff7f steelblue4682b4
  tand2b48c teal008080 thistled8bfd8 tomatoff6347 turquoise40e0d0 violetee82ee wheatf5deb3 whiteffffff
  whitesmokef5f5f5 yellowffff00 yellowgreen9acd32
  `
    .trim()
    .split(/\s+/)
    .map((entry) => [entry.slice(0, -6), entry.slice(-6)] as const),
);

const HEX = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/;
const FUNCTION = /^([a-z]+)\(([^()]*)\)$/;
const PART = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+))(%|deg|grad|rad|turn)?$/;
const DEGREES: Readonly<Record<string, number>> = { deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 };

/**
 * Parses a CSS colour: a name, hexadecimal digits, `rgb()`, `hsl()`, `hwb()`, `lab()`, `lch()`, `oklab()`, `oklch()` or
 * `color(srgb …)`. Ignores transparency. Returns undefined for any other text, such as `var()`.
 */
export function readCssColour(given: string): Colour | undefined {
  const text = given.trim().toLowerCase();
  const digits = NAMED.get(text) ?? (HEX.test(text) ? text.slice(1) : undefined);
  if (digits !== undefined) return fromDigits(digits);
  const [, name = '', inner = ''] = FUNCTION.exec(text) ?? [];
  const words = (inner.split('/', 1)[0] ?? '')
    .trim()
    .split(/[\s,]+/)
    .slice(0, name === 'color' ? 4 : 3);
  if (name === 'color' && words.shift() !== 'srgb') return undefined;
  const parts = words.map((word) => readPart(word));
  const [first, second, third] = parts;
  if (!first || !second || !third) return undefined;
  return Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]?.(first, second, third) : undefined;
}

const fromDigits = (digits: string): Colour => {
  const length = digits.length < 6 ? 1 : 2;
  const part = (at: number) =>
    Number.parseInt(digits.slice(at * length, (at + 1) * length).repeat(3 - length), 16);
  return [part(0), part(1), part(2)];
};

interface Part {
  readonly value: number;
  readonly unit: string;
}

function readPart(word: string): Part | undefined {
  if (word === 'none') return { value: 0, unit: '' };
  const [, value, unit = ''] = PART.exec(word) ?? [];
  return value === undefined ? undefined : { value: Number(value), unit };
}

/** Returns the value of a part as a number. `full` is the number for 100 %. */
const scaled = ({ value, unit }: Part, full: number): number => (unit === '%' ? (value / 100) * full : value);
/** Returns a percentage as a number from 0 to 1. Newer notations allow percentages without the `%` sign. */
const share = ({ value }: Part): number => Math.min(1, Math.max(0, value / 100));
const degrees = ({ value, unit }: Part): number => value * (DEGREES[unit] ?? 1);

/** Returns the colour of three numbers from 0 to 1. */
const colourOf = (...parts: readonly [number, number, number]): Colour =>
  parts.map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255)) as unknown as Colour;

const FUNCTIONS: Readonly<Record<string, (first: Part, second: Part, third: Part) => Colour>> = {
  rgb: fromRgb,
  rgba: fromRgb,
  color: (red, green, blue) => colourOf(scaled(red, 1), scaled(green, 1), scaled(blue, 1)),
  hsl: fromHsl,
  hsla: fromHsl,
  hwb: (hue, white, black) => {
    const [least, dark] = [share(white), share(black)];
    const sum = least + dark;
    if (sum >= 1) return colourOf(least / sum, least / sum, least / sum);
    return colourOf(...(pure(degrees(hue)).map((part) => part * (1 - sum) + least) as Triple));
  },
  oklab: (light, a, b) => fromOklab(scaled(light, 1), scaled(a, 0.4), scaled(b, 0.4)),
  oklch: (light, chroma, hue) => fromOklab(scaled(light, 1), ...polar(scaled(chroma, 0.4), hue)),
  lab: (light, a, b) => fromLab(scaled(light, 100), scaled(a, 125), scaled(b, 125)),
  lch: (light, chroma, hue) => fromLab(scaled(light, 100), ...polar(scaled(chroma, 150), hue)),
};

type Triple = [number, number, number];

function fromRgb(...parts: readonly [Part, Part, Part]): Colour {
  return colourOf(...(parts.map((part) => scaled(part, 255) / 255) as Triple));
}

/** Returns the fully saturated colour of a hue. */
function pure(hue: number): Triple {
  const at = (offset: number) => {
    const place = (((hue / 30 + offset) % 12) + 12) % 12;
    return 0.5 - 0.5 * Math.max(-1, Math.min(place - 3, 9 - place, 1));
  };
  return [at(0), at(8), at(4)];
}

function fromHsl(hue: Part, saturation: Part, lightness: Part): Colour {
  const light = share(lightness);
  const reach = share(saturation) * Math.min(light, 1 - light);
  return colourOf(...(pure(degrees(hue)).map((part) => light + (part * 2 - 1) * reach) as Triple));
}

function polar(chroma: number, hue: Part): [number, number] {
  const angle = (degrees(hue) * Math.PI) / 180;
  return [chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

const encoded = (part: number): number =>
  part <= 0.003_130_8 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;

function fromOklab(light: number, a: number, b: number): Colour {
  const long = (light + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3;
  const middle = (light - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3;
  const short = (light - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3;
  return colourOf(
    encoded(4.076_741_662_1 * long - 3.307_711_591_3 * middle + 0.230_969_929_2 * short),
    encoded(-1.268_438_004_6 * long + 2.609_757_401_1 * middle - 0.341_319_396_5 * short),
    encoded(-0.004_196_086_3 * long - 0.703_418_614_7 * middle + 1.707_614_701 * short),
  );
}

/** Converts a colour of CIE Lab with the D50 white point. */
function fromLab(light: number, a: number, b: number): Colour {
  const middle = (light + 16) / 116;
  const whole = (part: number) => (part ** 3 > 216 / 24_389 ? part ** 3 : (116 * part - 16) / (24_389 / 27));
  const x = whole(middle + a / 500) * 0.964_295_7;
  const y = light > 8 ? middle ** 3 : light / (24_389 / 27);
  const z = whole(middle - b / 200) * 0.825_104_6;
  return colourOf(
    encoded(3.134_135_9 * x - 1.617_386_3 * y - 0.490_662_2 * z),
    encoded(-0.978_795_5 * x + 1.916_254_6 * y + 0.033_442_7 * z),
    encoded(0.071_955_4 * x - 0.228_976_8 * y + 1.405_386 * z),
  );
}
