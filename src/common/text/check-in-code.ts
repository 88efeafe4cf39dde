/** Digits and letters without I, L, O and U, which are easily confused. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const FORM = /^G[0-9A-HJKMNP-TV-Z]{8}$/;

/**
 * Returns the code of a guest for the check-in, such as `G7K3M9XQ2`: the last 40 random bits of the id. A printed invitation can
 * have it as a QR code. It opens nothing by itself; the till finds the guest with it on its own list.
 */
export function checkInCode(guestId: string): string {
  const bits = BigInt(`0x${guestId.replaceAll('-', '').slice(-10)}`);
  let code = '';
  for (let shift = 35n; shift >= 0n; shift -= 5n) code += ALPHABET.charAt(Number((bits >> shift) & 31n));
  return `G${code}`;
}

/** Reads a typed or scanned code: in capitals, without spaces and hyphens, and without confused letters; undefined for another text. */
export function readCheckInCode(text: string): string | undefined {
  const tidy = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  return FORM.test(tidy) ? tidy : undefined;
}
