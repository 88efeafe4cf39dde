import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from '@jest/globals';

/** Returns the full path of a program on PATH. */
export function findTool(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

/** Returns the path of a Chromium or Chrome for playwright-core. The variant without windows needs less processor time. */
export function findChromium(): string | undefined {
  const given = process.env.CHROMIUM_PATH;
  if (given) return given;
  return ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .map(findTool)
    .find((path) => path !== undefined);
}

/** `describe` if the program is installed. Otherwise the tests are skipped, and their name contains the missing program. */
export function describeWithTool(tool: string, name: string, tests: () => void): void {
  if (findTool(tool) === undefined) describe.skip(`${name} (skipped: ${tool} is not installed)`, tests);
  else describe(name, tests);
}

/** Like `describeWithTool`, for a single test. */
export function itWithTool(tool: string, name: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (findTool(tool) === undefined) it.skip(`${name} (skipped: ${tool} is not installed)`, test);
  else it(name, test, timeoutMs);
}

/** Like `describeWithTool`, for tests in a real browser. The tests receive the path of the browser. */
export function describeWithChromium(name: string, tests: (executablePath: string) => void): void {
  const path = findChromium();
  if (path === undefined) {
    describe.skip(`${name} (skipped: chromium is not installed)`, () => {
      tests('chromium');
    });
  } else {
    describe(name, () => {
      tests(path);
    });
  }
}
