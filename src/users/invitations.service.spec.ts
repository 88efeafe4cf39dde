import { describe, expect, it } from '@jest/globals';
import type { AppConfig } from '../config/app-config.js';
import { type Invitation, InvitationLinks } from './invitations.service.js';

const config = { publicUrl: 'https://donate.example.org' } as AppConfig;
const user = { id: 'u', email: 'ada@example.org', name: null };
const link = { inviteUrl: 'https://donate.example.org/admin#invite=x', expiresAt: new Date(0) };

describe('the invitation e-mail', () => {
  it('contains the recipient, the link and whether the account is new', async () => {
    const sent: Invitation[] = [];
    const links = new InvitationLinks(config, {
      send: (invitation) => {
        sent.push(invitation);
        return Promise.resolve(true);
      },
    });
    expect(await links.send(user, link, true)).toBe(true);
    expect(sent).toEqual([{ userId: 'u', email: 'ada@example.org', name: null, isNew: true, ...link }]);
  });

  it('may fail or be switched off without undoing the invitation, because the response contains the link', async () => {
    const failing = { send: () => Promise.reject(new Error('no mail server')) };
    expect(await new InvitationLinks(config, failing).send(user, link, true)).toBe(false);
    expect(await new InvitationLinks(config, undefined).send(user, link, true)).toBe(false);
  });
});
