import { LanguageTag, Matching, OptionalEmail, Text } from '../../common/validation/field.decorators.js';

/** Body of `POST /donate/:slug/ready/saved`. */
export class OfGuest {
  /** Token of the guest's link. */
  @Text({ max: 100 })
  guest: string;
}

/** Body of `POST /donate/:slug/ready`. */
export class BeginCard extends OfGuest {
  @Matching(/^[0-9a-f]{64}$/, 'must be the digest of the text')
  textDigest: string;

  @LanguageTag()
  language: string;

  @OptionalEmail()
  email?: string | null;
}
