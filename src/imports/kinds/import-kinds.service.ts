import { Injectable } from '@nestjs/common';
import { DonationKinds } from './donation-kind.service.js';
import { GuestKind } from './guest-kind.service.js';
import type { ImportKind } from './import-kind.js';
import type { KindName } from './kind-names.js';

/** The kinds of lists that can be imported, by name. */
@Injectable()
export class ImportKinds {
  private readonly kinds: Readonly<Record<KindName, ImportKind>>;

  constructor(guests: GuestKind, donations: DonationKinds) {
    this.kinds = { guests, pledges: donations.of('pledges'), donations: donations.of('donations') };
  }

  of(name: string): ImportKind {
    const kind = this.kinds[name as KindName] as ImportKind | undefined;
    if (!kind) throw new Error(`This release imports no ${name}`);
    return kind;
  }
}
