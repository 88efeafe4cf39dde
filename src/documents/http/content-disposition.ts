import { fitted } from '../../common/text/text.js';

/**
 * `Content-Disposition` of a download (RFC 6266): a plain name for everybody, and the full one, encoded as in
 * RFC 8187, for those who can read it. Path separators and control characters never get through.
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

/** Bytes that every file system takes for a name, with room for the " (1)" that browsers add. */
const MAX_NAME = 240;

/** Shortened before its extension. */
function fittedName(name: string): string {
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return fitted(name.slice(0, name.length - extension.length), MAX_NAME - extension.length) + extension;
}

const encoded = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
