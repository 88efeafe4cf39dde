import type { MessagePort } from 'node:worker_threads';

/** A function that runs on the thread of exports: which module exports it, and under which name. */
export interface ThreadFunction<Input, Output> {
  /** Address of the module, which loads nothing that it does not need: the thread has memory of its own. */
  readonly file: string;
  readonly name: string;
  /** For its types only: never there. */
  readonly call?: (input: Input) => Output;
}

/** What a stream begins with on the thread. */
export interface StreamTask<Input> {
  readonly input: Input;
  readonly port: MessagePort;
}

/** What the thread says of a stream. */
export type FromThread<Note> =
  /** The bytes lie at the beginning of the room. */
  | { readonly kind: 'piece'; readonly room: ArrayBuffer; readonly length: number }
  | { readonly kind: 'wanted' }
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'end' };

/** What it is told. */
export type ToThread<Batch> =
  /** Space for one more piece. */
  | { readonly kind: 'room'; readonly room: ArrayBuffer }
  /** Undefined after the last. */
  | { readonly kind: 'batch'; readonly batch: Batch | undefined };

/** A function that makes a stream there, of a module of its own: see `streamed`. */
export type ThreadStream<Input, Batch, Note> = ThreadFunction<StreamTask<Input>, Promise<void>> & {
  readonly takes?: (batch: Batch) => Note;
};
