import { Encoder, type Packet, PacketType } from 'socket.io-parser';

/** Answers that many sockets get, as the text that was made for the first one. */
const texts = new WeakMap<object, string>();

/** Has this very object made into text once, for all whom it answers. It must not be changed any more. */
export function encodeOnce<Answer extends object>(answer: Answer): Answer {
  texts.set(answer, '');
  return answer;
}

/**
 * Socket.IO's encoder, which makes a snapshot into text for each socket anew: with a hall that joins at once, or
 * somebody who asks without end, that is a good part of what joining costs.
 */
export class AnswerEncoder extends Encoder {
  override encode(packet: Packet): unknown[] {
    const { type, nsp, id } = packet;
    const answer = type === PacketType.ACK && nsp === '/' ? (packet.data as unknown[])[0] : undefined;
    const text = typeof answer === 'object' && answer !== null ? texts.get(answer) : undefined;
    if (text === undefined) return super.encode(packet);
    const json = text === '' ? JSON.stringify(answer) : text;
    if (text === '') texts.set(answer as object, json);
    return [`${String(type)}${String(id)}[${json}]`];
  }
}
