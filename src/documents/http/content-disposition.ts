import { fitted } from '../../common/text/text.js';

/**
 * `Content-Disposition` of a download (RFC 6266): a plain ASCII name, and the full name in RFC 8187 encoding. Path
 * separators and control characters are removed.
 */
export function attachment(fileName: string): string {
  const name =
    fittedName(
      fileName
        .normalize('NFC')
        .replace(/[\p{C}/\\]/gu, '_')
        .trim(),
    ) || 'download';
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w.() -]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded(name)}`;
}

/** Maximum bytes of a file name that every file system accepts, less the " (1)" that browsers may add. */
const MAX_NAME = 240;

/** Shortens a name but keeps its extension. */
function fittedName(name: string): string {
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return fitted(name.slice(0, name.length - extension.length), MAX_NAME - extension.length) + extension;
}

const encoded = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
