/** An answer that is JSON already: its text goes out as it is. */
export class JsonText<Shape> {
  constructor(readonly text: string) {}

  /** Whoever wants the answer itself reads it again. */
  toJSON(): Shape {
    return JSON.parse(this.text) as Shape;
  }
}

/** The JSON of an answer; undefined for what JSON has nothing for. */
export const jsonOf = (answer: unknown): string | undefined =>
  answer instanceof JsonText ? answer.text : JSON.stringify(answer);
