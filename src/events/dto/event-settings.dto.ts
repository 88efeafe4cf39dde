import * as z from 'zod';
import type { EventRecord } from '../event-record.js';
import { type Branding, SETTINGS, type Settings } from '../../settings/settings.js';

/** Read-only fields in the settings of an event. A client may send them back unchanged. */
export const READ_ONLY = {
  id: z.string().meta({ format: 'uuid', example: '01937a5e-8c1f-7b6a-9d53-0c4f4b2f9a11', readOnly: true }),
  slug: z.string().meta({ example: 'summer-gala', readOnly: true }),
  name: z.string().meta({ example: 'Summer Gala', readOnly: true, description: 'Of the event' }),
  isOverride: z
    .boolean()
    .meta({ example: true, readOnly: true, description: 'True if the event overrides a setting' }),
  currency: z
    .string()
    .meta({ example: 'eur', readOnly: true, description: "The event's currency; ISO 4217, lower case" }),
};

/** Global settings with the event's overrides applied. */
export const EVENT_SETTINGS = SETTINGS.extend(READ_ONLY).meta({
  id: 'EventSettingsDto',
  description: 'Settings of an event: the global settings with its overrides',
});

export type EventSettingsDto = Settings & Readonly<z.output<z.ZodObject<typeof READ_ONLY>>>;

/** The settings in effect for an event, with the event's identity. */
export const toEventSettings = (
  { id, slug, name, currency }: EventRecord,
  settings: Settings & { readonly isOverride: boolean },
): EventSettingsDto => ({ id, slug, name, ...settings, currency });

/** Branding of an event's pages. The event's own values override the global values. */
export const toBranding = ({ theme }: Settings): Branding => ({
  assets: theme.assets,
  themeVariables: theme.variables,
});
