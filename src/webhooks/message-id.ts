import { newId } from '../common/crypto/ids.js';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 26;

/** Returns a new id of a message: `msg_` and 26 characters. The ids are ordered by time. */
export function newMessageId(): string {
  let rest = BigInt(`0x${newId().replaceAll('-', '')}`);
  let text = '';
  for (let index = 0; index < LENGTH; index++) {
    text = DIGITS.charAt(Number(rest % 32n)) + text;
    rest /= 32n;
  }
  return `msg_${text}`;
}

export const MESSAGE_ID = /^msg_[0-9a-z]{26}$/;
