import { Injectable } from '@nestjs/common';
import type { SubjectTopic } from '../outbox/outbox.js';

/** Messages about something other than a donation or a pledge round, such as a match pool. */
export interface FeedSubject {
  readonly topic: SubjectTopic;
  /** Returns the current public state of each subject that walls may show, without the event and the sequence. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, object>>;
}

/** A part of the snapshot that a joining wall gets. */
export interface SnapshotPart {
  readonly name: string;
  /** Returns the value of the part for an event; undefined to leave it out. */
  read(eventId: string): Promise<unknown>;
}

interface SubjectRow {
  readonly topic: string;
  readonly subject_id: string | null;
}

/** The messages and snapshot parts that other modules add to the live feed. They add them before the application starts. */
@Injectable()
export class FeedSubjects {
  private readonly subjects = new Map<string, FeedSubject>();
  private readonly parts: SnapshotPart[] = [];

  add(subject: FeedSubject): void {
    this.subjects.set(subject.topic, subject);
  }

  addPart(part: SnapshotPart): void {
    this.parts.push(part);
  }

  /** Reads the states of the subjects of these rows, by id. */
  async statesOf(rows: readonly SubjectRow[]): Promise<ReadonlyMap<string, object>> {
    const read = [...this.subjects.values()].map(async (subject) => {
      const ids = rows.filter(({ topic }) => topic === subject.topic).map(({ subject_id }) => subject_id);
      const named = [...new Set(ids)].filter((id) => id !== null);
      return named.length === 0 ? [] : [...(await subject.read(named))];
    });
    return new Map((await Promise.all(read)).flat());
  }

  /** Reads all parts of the snapshot of an event. */
  async partsOf(eventId: string): Promise<Record<string, unknown>> {
    const read = this.parts.map(async (part) => [part.name, await part.read(eventId)] as const);
    return Object.fromEntries((await Promise.all(read)).filter(([, value]) => value !== undefined));
  }
}
