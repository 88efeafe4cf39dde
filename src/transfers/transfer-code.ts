import type { TransferDetails } from './transfer-details.js';

/** Size of the Swiss cross and of the code, in millimetres. */
export const CROSS_MM = 7;
export const QR_BILL_CODE_MM = 46;
/** Width of the white border, in modules. Scanners of phones need this border. */
const BORDER = 4;

const BLACK = 0;
const WHITE = 255;

/** The modules of a code; true is dark. */
export type CodeRows = readonly (readonly boolean[])[];

/** Returns the modules of a code with error correction M, as both standards require. */
export async function codeRows(payload: string): Promise<CodeRows> {
  const { default: codes } = await import('qrcode');
  const { modules } = codes.create(payload, { errorCorrectionLevel: 'M' });
  return Array.from({ length: modules.size }, (_, row) =>
    Array.from({ length: modules.size }, (__, column) => modules.get(row, column) === 1),
  );
}

/**
 * The boxes of the Swiss cross of 7 mm: white border, black square, two white bars. In millimetres from the middle of the
 * code.
 */
export const SWISS_CROSS: readonly {
  readonly width: number;
  readonly height: number;
  readonly isDark: boolean;
}[] = [
  { width: CROSS_MM, height: CROSS_MM, isDark: false },
  { width: 6, height: 6, isDark: true },
  { width: 1.17, height: 3.9, isDark: false },
  { width: 3.9, height: 1.17, isDark: false },
];

/** Draws a code as SVG: black on white, with the Swiss cross if the code is of a QR-bill. */
export function codeSvg(rows: CodeRows, format: TransferDetails['format']): string {
  const side = rows.length + 2 * BORDER;
  const path = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + BORDER} ${y + BORDER}h1v1h-1z`] : [])),
  );
  const cross = format === 'qr_bill' ? crossSvg(side / 2, rows.length / QR_BILL_CODE_MM) : '';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path.join('')}"/>${cross}</svg>`
  );
}

const PIXELS_OF_MODULE = 10;

/**
 * Draws a code as PNG for e-mails, whose readers show no SVG. The pixels are computed here: the service blocks the SVG decoder
 * of `sharp`, because it must not read uploaded SVG files.
 */
export async function codePng(rows: CodeRows, format: TransferDetails['format']): Promise<Buffer> {
  const side = (rows.length + 2 * BORDER) * PIXELS_OF_MODULE;
  const pixels = Buffer.alloc(side * side, WHITE);
  const fill = (x: number, y: number, width: number, height: number, shade: number) => {
    const [left, right] = [Math.round(x), Math.round(x + width)];
    for (let line = Math.round(y); line < Math.round(y + height); line++)
      pixels.fill(shade, line * side + left, line * side + right);
  };
  for (const [y, row] of rows.entries())
    for (const [x, isDark] of row.entries())
      if (isDark)
        fill(
          (x + BORDER) * PIXELS_OF_MODULE,
          (y + BORDER) * PIXELS_OF_MODULE,
          PIXELS_OF_MODULE,
          PIXELS_OF_MODULE,
          BLACK,
        );
  const scale = (rows.length / QR_BILL_CODE_MM) * PIXELS_OF_MODULE;
  if (format === 'qr_bill')
    for (const { width, height, isDark } of SWISS_CROSS)
      fill(
        (side - width * scale) / 2,
        (side - height * scale) / 2,
        width * scale,
        height * scale,
        isDark ? BLACK : WHITE,
      );
  const { default: sharp } = await import('sharp');
  return await sharp(pixels, { raw: { width: side, height: side, channels: 1 } })
    .png()
    .toBuffer();
}

function crossSvg(middle: number, scale: number): string {
  return SWISS_CROSS.map(({ width, height, isDark }) => {
    const [x, y] = [middle - (width * scale) / 2, middle - (height * scale) / 2];
    return `<rect x="${x}" y="${y}" width="${width * scale}" height="${height * scale}" fill="${isDark ? '#000' : '#fff'}"/>`;
  }).join('');
}
