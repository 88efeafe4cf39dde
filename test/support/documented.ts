import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Returns the shell commands below a heading of a page, as printed. */
export function documentedCommands(page: string, heading: string): string[] {
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(`\n## ${heading}\n`);
  if (from < 0) throw new Error(`${page} has no heading "${heading}"`);
  const next = text.indexOf('\n## ', from + 1);
  const section = text.slice(from, next < 0 ? undefined : next);
  const blocks = [...section.matchAll(/^( *)```sh\n([^]*?)\n\1```$/gm)];
  return blocks.map(([, indent = '', block = '']) => block.replaceAll(`\n${indent}`, '\n').trim());
}

export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a command as a user types it. Stops at the first part that fails. */
export function shell(
  command: string,
  environment: NodeJS.ProcessEnv,
  options: { readonly cwd?: string; readonly uid?: number; readonly gid?: number } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-euc', command],
      { ...options, env: environment, timeout: 120_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, output: stdout + stderr });
      },
    );
  });
}
