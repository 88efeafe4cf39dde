/**
 * Returns the modules of the QR code of an address, row by row; true is dark.
 * @param level `Q` stays readable with a stain or a fold; `M` has larger modules, for a long address
 */
export async function modulesOf(address: string, level: 'M' | 'Q' = 'Q'): Promise<boolean[][]> {
  const { default: codes } = await import('qrcode');
  const { modules } = codes.create(address, { errorCorrectionLevel: level });
  return Array.from({ length: modules.size }, (_, row) =>
    Array.from({ length: modules.size }, (__, column) => modules.get(row, column) === 1),
  );
}
