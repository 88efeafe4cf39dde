import { useEffect, useState } from 'preact/hooks';

const QUIET = 4;

/** A QR code as the path of an SVG of this size. */
export interface QrPath {
  readonly size: number;
  readonly d: string;
}

export async function qrPath(text: string): Promise<QrPath> {
  const { correction, generate } = await import('lean-qr');
  const code = generate(text, { minCorrectionLevel: correction.M });
  let d = '';
  for (let row = 0; row < code.size; row++)
    for (let column = 0; column < code.size; column++)
      if (code.get(column, row)) d += `M${column + QUIET} ${row + QUIET}h1v1h-1z`;
  return { size: code.size + QUIET * 2, d };
}

/** Draws a QR code in the browser, so that the enrolment code of a terminal is sent to no other server. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [path, setPath] = useState<QrPath>();
  useEffect(() => {
    void qrPath(text).then(setPath);
  }, [text]);
  return <QrImage path={path} label={label} />;
}

export const QrImage = ({ path, label }: { path: QrPath | undefined; label: string }) => (
  <svg
    class="qr"
    viewBox={`0 0 ${path?.size ?? 1} ${path?.size ?? 1}`}
    width={240}
    height={240}
    role="img"
    aria-label={label}
  >
    {path && <path d={path.d} fill="#000" shape-rendering="crispEdges" />}
  </svg>
);
