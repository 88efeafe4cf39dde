import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Release {
  readonly folder: string;
  /** Adds an expand migration, as the next release would do. */
  addMigration(name: string, statements: string): void;
  /** Changes a file of the build. Fails if the file does not contain the text `from`. */
  patch(file: string, from: string, to: string): void;
  remove(): void;
}

/** The files of an installation: the build with its migrations, fonts and operator commands, as in the Dockerfile. */
const CONTENTS = ['dist', 'prisma', 'assets', 'scripts', 'package.json'];

/** Makes a release in its own folder, which every user may read, as in docs/operating.md. */
export function makeRelease(): Release {
  const folder = mkdtempSync(join(tmpdir(), 'donations-release-'));
  for (const name of CONTENTS) cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    addMigration: (name, statements) => {
      mkdirSync(join(folder, 'prisma/migrations', name));
      writeFileSync(join(folder, 'prisma/migrations', name, 'migration.sql'), statements);
    },
    patch: (file, from, to) => {
      const text = readFileSync(join(folder, file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
      writeFileSync(join(folder, file), text.replace(from, to));
      // The server runs the bundle, so the bundle must be built again from the changed files.
      execFileSync(process.execPath, [join(folder, 'scripts/bundle.mjs')]);
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
