/**
 * `Content-Disposition` of a download (RFC 6266): a plain name for everybody, and the full one, encoded as in
 * RFC 8187, for those who can read it. Path separators and control characters never get through.
 */
export function attachment(fileName: string): string {
  const name =
    fileName
      .normalize('NFC')
      .replace(/[\p{C}/\\]/gu, '_')
      .trim() || 'download';
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w.() -]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded(name)}`;
}

const encoded = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
