import type codes from 'qrcode';

/** Level `Q` stays readable with a stain or a fold. `M` has larger modules, for a long address. */
type Level = 'M' | 'Q';

/** Returns the modules of the QR code of an address, row by row; true is dark. Loads the library when it is needed. */
export const modulesOf = async (address: string, level: Level = 'Q'): Promise<boolean[][]> =>
  modulesBy((await import('qrcode')).default, address, level);

/** Like `modulesOf`, with the library already loaded. */
export function modulesBy(library: typeof codes, address: string, level: Level): boolean[][] {
  const { modules } = library.create(address, { errorCorrectionLevel: level });
  return Array.from({ length: modules.size }, (_, row) =>
    Array.from({ length: modules.size }, (__, column) => modules.get(row, column) === 1),
  );
}
