import { newId } from '../common/crypto/ids.js';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** The digits have 130 bits, the id has 128. */
const SPARE_BITS = 2;

/** Returns a new id of a message: `msg_` and 26 characters. The ids are ordered by time. */
export function newMessageId(): string {
  let [text, value, bits] = ['msg_', 0, SPARE_BITS];
  for (const digit of newId().replaceAll('-', '')) {
    value = (value << 4) | Number.parseInt(digit, 16);
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    text += DIGITS.charAt(value >> bits);
    value &= (1 << bits) - 1;
  }
  return text;
}

export const MESSAGE_ID = /^msg_[0-9a-z]{26}$/;
