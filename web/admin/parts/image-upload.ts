import type { ImageDto } from '../../../src/images/dto/image.dto.js';
import { reasonOf } from '../../desk/sending.js';
import { t } from '../../desk/texts.js';
import { api } from '../api/client.js';

/** Types of pictures that the server accepts. */
export const IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp'];
const MOST_BYTES = 5 * 1024 * 1024;

/** Stores a picture on the server. Returns its path, or the reason in the reader's language if that is not possible. */
export async function uploadImage(
  file: File,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  // The person can choose any type of file in the dialog of the browser.
  if (!IMAGE_TYPES.includes(file.type)) return { problem: t('image.wrongType') };
  if (file.size > MOST_BYTES) return { problem: t('image.tooLarge') };
  try {
    const { path } = await api<ImageDto>('/images', {
      method: 'POST',
      raw: file,
      headers: { 'content-type': file.type },
    });
    return { path };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}
