/** A strict parser of RFC 4180: CRLF between records, doubled quotes, the same number of cells in each record. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const record: string[] = [];
    for (;;) {
      const cell = text[at] === '"' ? quoted() : bare();
      record.push(cell);
      if (text[at] === ',') at++;
      else break;
    }
    if (text.slice(at, at + 2) !== '\r\n') throw new Error(`no CRLF after the record at ${at}`);
    at += 2;
    if (records[0] && record.length !== records[0].length)
      throw new Error(`record ${records.length} has another number of cells`);
    records.push(record);
  }
  return records;

  function bare(): string {
    const end = /[,"\r\n]/g;
    end.lastIndex = at;
    const stop = end.exec(text)?.index ?? text.length;
    if (text[stop] === '"') throw new Error(`a quote in an unquoted cell at ${stop}`);
    const cell = text.slice(at, stop);
    at = stop;
    return cell;
  }

  function quoted(): string {
    let cell = '';
    for (at++; ;) {
      const stop = text.indexOf('"', at);
      if (stop === -1) throw new Error('a quoted cell without an end');
      cell += text.slice(at, stop);
      at = stop + 1;
      if (text[at] !== '"') return cell;
      cell += '"';
      at++;
    }
  }
}

/** Returns the records below the header as objects. */
export function csvObjects(text: string): Record<string, string>[] {
  const [header = [], ...records] = parseCsv(text);
  return records.map((record) =>
    Object.fromEntries(header.map((name, index) => [name, record[index] ?? ''])),
  );
}
