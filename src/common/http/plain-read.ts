/** What the answer to a plain read depends on. Undefined is what the client does not say. */
export interface PlainRead {
  origin: string | undefined;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
  requestId: string | undefined;
}

/** What Node has read of a request before anybody asks for its headers by name. */
export interface RawRequest {
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

/**
 * What a read says of itself; undefined where it is special: of somebody who signed in, or who sends or asks for more than the
 * plain answer, or who says something twice.
 *
 * Reads the headers as they came. To have them by name Node makes an object of all of them, for each request anew.
 */
export function plainRead({
  httpVersionMajor,
  httpVersionMinor,
  rawHeaders,
}: RawRequest): PlainRead | undefined {
  if (httpVersionMajor !== 1 || httpVersionMinor !== 1) return undefined;
  const read: PlainRead = {
    origin: undefined,
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    requestId: undefined,
  };
  let hasHost = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = rawHeaders[at + 1] ?? '';
    switch (name.toLowerCase()) {
      case 'host':
        if (hasHost) return undefined;
        hasHost = true;
        break;
      case 'origin':
        if (read.origin !== undefined) return undefined;
        read.origin = value;
        break;
      case 'accept-encoding':
        if (read.acceptEncoding !== undefined) return undefined;
        read.acceptEncoding = value;
        break;
      case 'if-none-match':
        if (read.ifNoneMatch !== undefined) return undefined;
        read.ifNoneMatch = value;
        break;
      case 'x-request-id':
        if (read.requestId !== undefined) return undefined;
        read.requestId = value;
        break;
      case 'content-length':
        if (value !== '0') return undefined;
        break;
      case 'authorization':
      case 'x-device-token': // An enrolled terminal is counted by itself.
      case 'transfer-encoding':
      case 'range':
      case 'expect':
      case 'if-match':
        return undefined;
    }
  }
  return hasHost ? read : undefined;
}
