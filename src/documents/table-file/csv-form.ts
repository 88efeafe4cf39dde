export const ENCODINGS = ['utf-8', 'utf-16le', 'windows-1252', 'macintosh'] as const;
export type Encoding = (typeof ENCODINGS)[number];
export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** Encoding and delimiter of a CSV file. */
export interface CsvForm {
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
}
