import { Injectable } from '@nestjs/common';

/** How long the oldest piece of some work has been waiting, in milliseconds. */
type Age = () => number;

/** Work that is done in the background of requests, for health and metrics: who does it says how far behind it is. */
@Injectable()
export class Backlogs {
  private readonly ages = new Map<string, Age>();

  /** Call it when the application is made, once for each name. */
  register(name: string, age: Age): void {
    this.ages.set(name, age);
  }

  /** Milliseconds by name. */
  read(): [name: string, ageMs: number][] {
    return [...this.ages].map(([name, age]) => [name, age()]);
  }
}
