/** A place in the changes of all events. */
export interface ChangePlace {
  /** Position of the last message that the client has seen. */
  readonly position: bigint;
  /** Time at which the client had seen all earlier messages. It shows if messages after it can be deleted. */
  readonly time: number;
}

const FORM = /^1\.(\d{1,18})\.(\d{1,14})$/;

export const writeCursor = ({ position, time }: ChangePlace): string =>
  Buffer.from(`1.${position}.${time}`).toString('base64url');

/** Returns undefined for a text that is no cursor. */
export function readCursor(cursor: string): ChangePlace | undefined {
  const [, position, time] = FORM.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  return position === undefined || time === undefined
    ? undefined
    : { position: BigInt(position), time: Number(time) };
}
