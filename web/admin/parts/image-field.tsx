import { useId, useState } from 'preact/hooks';
import { Icon } from '../../desk/icons.js';
import { t } from '../../desk/texts.js';
import { IMAGE_TYPES, uploadImage } from './image-upload.js';

interface ImageProps {
  readonly label: string;
  readonly hint?: string;
  /** An https address, or a path on this host. */
  readonly value: string;
  /** True for a picture that must be on this host. The hint is then `hint` alone. */
  readonly isUploadOnly?: boolean;
  readonly onValue: (address: string | undefined) => void;
}

/** Field for a picture: the address on another host, or a file to upload. The server stores an uploaded picture and never changes it. */
export function ImageField({ label, hint, value, isUploadOnly = false, onValue }: ImageProps) {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const upload = async (file: File | undefined) => {
    if (!file) return;
    setBusy(true);
    const stored = await uploadImage(file);
    setProblem('problem' in stored ? stored.problem : undefined);
    if ('path' in stored) onValue(stored.path);
    setBusy(false);
  };
  const isOwn = value.startsWith('/');
  return (
    <div class="field">
      {isOwn || isUploadOnly ? (
        <span class="field__label">{label}</span>
      ) : (
        <label class="field__label" for={id}>
          {label}
        </label>
      )}
      <div class="image">
        <span class="image__box">
          {isOwn ? <img src={value} alt={label} /> : <Icon name="image" size={22} />}
        </span>
        <div class="image__fields">
          {!isOwn && !isUploadOnly && (
            <input
              id={id}
              class="input"
              value={value}
              placeholder="https://"
              onInput={({ currentTarget }) => onValue(currentTarget.value.trim() || undefined)}
            />
          )}
          <label class="linkbutton">
            {busy ? t('state.working') : t('image.choose')}
            <input
              type="file"
              class="visually-hidden"
              accept={IMAGE_TYPES.join(',')}
              onChange={({ currentTarget }) => {
                const file = currentTarget.files?.[0];
                // Without this, the browser reports no change if the person chooses the same file again.
                void upload(file).finally(() => {
                  currentTarget.value = '';
                });
              }}
            />
          </label>
          {value !== '' && (
            <button type="button" class="linkbutton" onClick={() => onValue(undefined)}>
              {t('image.remove')}
            </button>
          )}
        </div>
      </div>
      <p class="field__hint">{isUploadOnly ? hint : [hint, t('image.hint')].filter(Boolean).join(' ')}</p>
      {problem !== undefined && (
        <p class="field__error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
