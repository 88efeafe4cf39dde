import type { MessagePort } from 'node:worker_threads';

/** A function for the export thread: the module that exports it, and its name. */
export interface ThreadFunction<Input, Output> {
  /**
   * File URL of the module. The module should import few modules, because the thread loads each of them into its own memory.
   */
  readonly file: string;
  readonly name: string;
  /** Exists only for the types; no code sets it. */
  readonly call?: (input: Input) => Output;
}

/** Data that starts a stream on the thread. */
export interface StreamTask<Input> {
  readonly input: Input;
  readonly port: MessagePort;
}

/** Messages from the thread about a stream. */
export type FromThread<Note> =
  /** The data of a piece: the first `length` bytes of the buffer. */
  | { readonly kind: 'piece'; readonly room: ArrayBuffer; readonly length: number }
  | { readonly kind: 'wanted' }
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'end' };

/** Messages to the thread about a stream. */
export type ToThread<Batch> =
  /** A free buffer for one more piece. */
  | { readonly kind: 'room'; readonly room: ArrayBuffer }
  /** Undefined after the last batch. */
  | { readonly kind: 'batch'; readonly batch: Batch | undefined };

/** A stream function, made by `streamed` and exported by its own module. */
export type ThreadStream<Input, Batch, Note> = ThreadFunction<StreamTask<Input>, Promise<void>> & {
  readonly takes?: (batch: Batch) => Note;
};
