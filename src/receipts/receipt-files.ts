// This code runs on the export thread; see `ReceiptFiles`.
import { setImmediate } from 'node:timers/promises';
import { streamed } from '../documents/thread/streamed.js';
import { incompleteOf, type ReceiptBatch, subjectsOf } from './receipt-batch.js';
import {
  annualPdf,
  type AnnualToDraw,
  collectivePdf,
  type CollectiveToDraw,
  packPdf,
  proofPdf,
  type ProofToDraw,
} from './pack-pdf.js';
import { receiptContent, type ReceiptIssuer, type ReceiptSubject } from './receipt-content.js';
import { ReceiptManifest } from './receipt-manifest.js';
import { receiptPdf } from './receipt-pdf.js';
import { type ZipEntry, zipOf } from '../documents/zip/zip.js';

export interface ReceiptToDraw {
  readonly issuer: ReceiptIssuer;
  readonly subject: ReceiptSubject;
}

/** A receipt whose drawing failed. */
export interface FailedReceipt {
  readonly donationId: string;
  readonly error: Error;
}

export function drawReceipt({ issuer, subject }: ReceiptToDraw): Uint8Array {
  return fileOf(subject, issuer);
}

export const drawProof = (proof: ProofToDraw): Uint8Array => proofPdf(proof);

export const drawAnnual = (document: AnnualToDraw): Uint8Array => annualPdf(document);

export const drawCollective = (receipt: CollectiveToDraw): Uint8Array => collectivePdf(receipt);

const fileOf = (subject: ReceiptSubject, issuer: ReceiptIssuer): Buffer =>
  subject.pack
    ? packPdf({ ...subject, pack: subject.pack }, issuer)
    : receiptPdf(receiptContent(subject, issuer));

/** Packs a PDF of each donation and `manifest.csv` into a ZIP. */
export const packReceipts = streamed<ReceiptIssuer, ReceiptBatch, FailedReceipt>(async function* (
  issuer,
  { batches, note },
) {
  const manifest = await ReceiptManifest.create();
  try {
    yield* zipOf(entries(issuer, batches, manifest, note));
  } finally {
    await manifest.remove();
  }
});

async function* entries(
  issuer: ReceiptIssuer,
  batches: AsyncIterable<ReceiptBatch>,
  manifest: ReceiptManifest,
  note: (failed: FailedReceipt) => void,
): AsyncGenerator<ZipEntry, void, undefined> {
  for await (const batch of batches) {
    for (const subject of subjectsOf(batch)) {
      const name = `receipt-${subject.number}.pdf`;
      try {
        const content = fileOf(subject, issuer);
        manifest.add(name, subject);
        yield { name, date: subject.issuedAt, content };
      } catch (error) {
        // A receipt that cannot be drawn must not stop the other receipts.
        manifest.addFailed(subject);
        note({ donationId: subject.donationId, error: error as Error });
      }
      // Drawing a receipt takes milliseconds. After each receipt, other tasks of the thread can run.
      await setImmediate();
    }
    for (const one of incompleteOf(batch)) manifest.addIncomplete(one);
    await manifest.flush();
  }
  yield await manifest.entry();
}
