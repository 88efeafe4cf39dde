import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ASSETS_DOC,
  SettingsDto,
  SettingsPatchDto,
  toSettings,
  VARIABLES_DOC,
} from '../../settings/dto/settings.dto.js';
import type { Settings } from '../../settings/settings.js';

/** The global settings with an event's overrides over them. */
export class EventSettingsDto extends SettingsDto {
  @ApiProperty({ example: true, description: 'Whether the event overrides anything' })
  isOverride: boolean;

  @ApiProperty({ example: 'eur', description: "The event's currency; ISO 4217, lower case" })
  currency: string;
}

/** Body of `PATCH /events/:id/settings`; the read-only fields of the answer must be unchanged. */
export class EventSettingsPatchDto extends SettingsPatchDto {
  @ApiPropertyOptional({ example: true, description: 'Read-only: ignored when unchanged' })
  isOverride?: boolean;

  @ApiPropertyOptional({ example: 'eur', description: 'Read-only: ignored when unchanged' })
  currency?: string;
}

/** Body of `PATCH /events/:id/branding`: a merge, `null` takes one away. */
export class BrandingPatchDto {
  @ApiPropertyOptional(ASSETS_DOC)
  assets?: Record<string, string>;

  @ApiPropertyOptional(VARIABLES_DOC)
  themeVariables?: Record<string, string>;
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
