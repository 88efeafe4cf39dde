/*
 * Reads codes with the camera, in browsers that have a reader for them. Loaded only when a volunteer scans. This file imports
 * nothing, so that the build does not divide the page into more files.
 */

/** The part of the Shape Detection API that the till uses. */
interface BarcodeReader {
  detect(picture: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}
type BarcodeReaderClass = new (options: { readonly formats: readonly string[] }) => BarcodeReader;

const LOOK_EVERY_MS = 150;

/**
 * Shows the camera in a video and reads codes until one is known.
 * @param onCode returns true for a known code
 * @param onProblem gets `unknown` for a code that is not known, and `camera` if the camera or the reader cannot be used
 * @returns a function that stops the camera
 */
export function readCodes(
  video: HTMLVideoElement,
  onCode: (text: string) => boolean,
  onProblem: (problem: 'unknown' | 'camera') => void,
): () => void {
  let stream: MediaStream | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const isOver = () => stopped;
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    stream?.getTracks().forEach((track) => track.stop());
  };
  const look = async (reader: BarcodeReader) => {
    if (isOver()) return;
    // The reader refuses a picture that is not complete yet.
    const found = await reader.detect(video).catch(() => []);
    if (isOver()) return;
    if (found.some(({ rawValue }) => onCode(rawValue))) {
      stop();
      return;
    }
    if (found.length > 0) onProblem('unknown');
    timer = setTimeout(() => void look(reader), LOOK_EVERY_MS);
  };
  const start = async () => {
    const { BarcodeDetector } = globalThis as { BarcodeDetector?: BarcodeReaderClass };
    if (!BarcodeDetector) throw new Error('This browser reads no codes');
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
    // The dialog was closed while the browser asked for the camera.
    if (isOver()) {
      stop();
      return;
    }
    video.srcObject = stream;
    await video.play();
    await look(new BarcodeDetector({ formats: ['qr_code'] }));
  };
  start().catch(() => {
    if (!isOver()) onProblem('camera');
    stop();
  });
  return stop;
}
