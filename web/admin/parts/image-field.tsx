import { useId, useState } from 'preact/hooks';
import type { ImageDto } from '../../../src/images/dto/image.dto.js';
import { Icon } from '../../desk/icons.js';
import { reasonOf } from '../../desk/sending.js';
import { t } from '../../desk/texts.js';
import { api } from '../api/client.js';

const TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MOST_BYTES = 5 * 1024 * 1024;

interface ImageProps {
  readonly label: string;
  readonly hint?: string;
  /** An https address, or a path on this host. */
  readonly value: string;
  readonly onValue: (address: string | undefined) => void;
}

/** Field for a picture: its address, or a file to upload. The server stores an uploaded picture and never changes it. */
export function ImageField({ label, hint, value, onValue }: ImageProps) {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const upload = async (file: File | undefined) => {
    if (!file) return;
    // The person can choose any type of file in the dialog of the browser.
    if (!TYPES.includes(file.type)) {
      setProblem(t('image.wrongType'));
      return;
    }
    if (file.size > MOST_BYTES) {
      setProblem(t('image.tooLarge'));
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      const { path } = await api<ImageDto>('/images', {
        method: 'POST',
        raw: file,
        headers: { 'content-type': file.type },
      });
      onValue(path);
    } catch (error) {
      setProblem(reasonOf(error));
    }
    setBusy(false);
  };
  const isOwn = value.startsWith('/');
  return (
    <div class="field">
      <label class="field__label" for={id}>
        {label}
      </label>
      <div class="image">
        <span class="image__box">{isOwn ? <img src={value} alt="" /> : <Icon name="image" size={22} />}</span>
        <div class="image__fields">
          <input
            id={id}
            class="input"
            value={value}
            placeholder="https://"
            onInput={({ currentTarget }) => onValue(currentTarget.value.trim() || undefined)}
          />
          <label class="linkbutton">
            {busy ? t('state.working') : t('image.choose')}
            <input
              type="file"
              class="visually-hidden"
              accept={TYPES.join(',')}
              onChange={({ currentTarget }) => {
                const file = currentTarget.files?.[0];
                // Without this, the browser reports no change if the person chooses the same file again.
                void upload(file).finally(() => {
                  currentTarget.value = '';
                });
              }}
            />
          </label>
        </div>
      </div>
      <p class="field__hint">{hint === undefined ? t('image.hint') : `${hint} ${t('image.hint')}`}</p>
      {problem !== undefined && (
        <p class="field__error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
