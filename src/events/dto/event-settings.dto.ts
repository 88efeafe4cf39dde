import { ApiProperty } from '@nestjs/swagger';
import { ASSETS_DOC, SettingsDto, toSettings, VARIABLES_DOC } from '../../settings/dto/settings.dto.js';
import type { Settings } from '../../settings/settings.js';

/** The global settings with an event's overrides over them. */
export class EventSettingsDto extends SettingsDto {
  @ApiProperty({ example: true, description: 'Whether the event overrides anything' })
  isOverride: boolean;

  @ApiProperty({ example: 'eur', description: "The event's currency; ISO 4217, lower case" })
  currency: string;
}

/** The branding that an event's pages show: its own over the global one. */
export class BrandingDto {
  @ApiProperty(ASSETS_DOC)
  assets: Readonly<Record<string, string>>;

  @ApiProperty(VARIABLES_DOC)
  themeVariables: Readonly<Record<string, string>>;
}

export const toEventSettings = (
  settings: Settings & { isOverride: boolean },
  currency: string,
): EventSettingsDto => Object.assign(toSettings(settings), { isOverride: settings.isOverride, currency });

export const toBranding = ({ theme }: Settings): BrandingDto => ({
  assets: theme.assets,
  themeVariables: theme.variables,
});
