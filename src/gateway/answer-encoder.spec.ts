import { describe, expect, it } from '@jest/globals';
import { Encoder, PacketType } from 'socket.io-parser';
import { AnswerEncoder, encodeOnce } from './answer-encoder.js';

const ack = (data: unknown, id: number) => ({ type: PacketType.ACK, nsp: '/', id, data: [data] });

describe('the encoder of answers', () => {
  const ours = new AnswerEncoder();
  const theirs = new Encoder();

  it("gives what Socket.IO's own gives", () => {
    const shared = encodeOnce({ joined: true, name: 'Zoë\u2028"', none: undefined });
    for (const packet of [
      ack(shared, 0),
      ack(shared, 17),
      ack({ ...shared }, 3),
      { ...ack(shared, 4), nsp: '/other' },
      { type: PacketType.EVENT, nsp: '/', data: ['event.totals', shared] },
      { type: PacketType.ACK, nsp: '/', id: 1, data: [] },
    ])
      expect(ours.encode(packet)).toEqual(theirs.encode(packet));
  });

  it('makes an answer into text once', () => {
    let made = 0;
    const shared = encodeOnce({ toJSON: () => ({ made: ++made }) });
    expect([1, 2, 3].map((id) => ours.encode(ack(shared, id)))).toEqual([
      ['31[{"made":1}]'],
      ['32[{"made":1}]'],
      ['33[{"made":1}]'],
    ]);
  });
});
