import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs a program on a file with these bytes. `{}` in the arguments stands for the path of the file. Fails if the program
 * fails.
 */
export async function onFile(
  program: string,
  args: readonly string[],
  bytes: Buffer,
  encoding: BufferEncoding = 'utf8',
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'export-test-'));
  const file = join(folder, 'file');
  try {
    await writeFile(file, bytes);
    const { stdout } = await run(
      program,
      args.map((arg) => (arg === '{}' ? file : arg)),
      {
        maxBuffer: 64 * 1024 * 1024,
        encoding,
      },
    );
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the text of a PDF, line by line, with single spaces. */
export async function pdfText(pdf: Buffer): Promise<string> {
  const text = await onFile('pdftotext', ['-enc', 'UTF-8', '{}', '-'], pdf);
  // pdftotext adds direction marks, which are removed here.
  return text.replace(/[\u202A-\u202E\u200E\u200F]/g, '').replace(/[ \t]+/g, ' ');
}
