import * as z from 'zod';
import { type Branding, SETTINGS, type Settings } from '../../settings/settings.js';

/** Said beside the settings of an event. Whoever read them may send them back as they were. */
export const READ_ONLY = {
  isOverride: z.boolean().meta({ example: true, description: 'Whether the event overrides anything' }),
  currency: z.string().meta({ example: 'eur', description: "The event's currency; ISO 4217, lower case" }),
};

/** The global settings with an event's overrides over them. */
export const EVENT_SETTINGS = SETTINGS.extend(READ_ONLY).meta({
  id: 'EventSettingsDto',
  description: "The global settings with the event's overrides over them",
});

export type EventSettingsDto = Settings & Readonly<z.output<z.ZodObject<typeof READ_ONLY>>>;

/** The branding that an event's pages show: its own over the global one. */
export const toBranding = ({ theme }: Settings): Branding => ({
  assets: theme.assets,
  themeVariables: theme.variables,
});
