import { useState } from 'preact/hooks';
import { t } from '../../desk/texts.js';
import { IMAGE_TYPES, uploadImage } from './image-upload.js';

interface ImagesProps {
  readonly label: string;
  readonly hint: string;
  /** Paths of the pictures on this host. */
  readonly value: readonly string[];
  readonly most: number;
  readonly onValue: (paths: readonly string[]) => void;
}

/** Field for several pictures: adds and removes them. The server stores an uploaded picture and never changes it. */
export function ImagesField({ label, hint, value, most, onValue }: ImagesProps) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const add = async (files: readonly File[]) => {
    setBusy(true);
    setProblem(undefined);
    const paths = [...value];
    for (const file of files.slice(0, most - value.length)) {
      const stored = await uploadImage(file);
      if ('problem' in stored) setProblem(stored.problem);
      else if (!paths.includes(stored.path)) paths.push(stored.path);
    }
    onValue(paths);
    setBusy(false);
  };
  return (
    <fieldset class="field">
      <legend class="field__label">{label}</legend>
      <ol class="images">
        {value.map((path, index) => (
          <li key={path} class="images__one">
            <span class="image__box">
              <img src={path} alt="" />
            </span>
            <button
              type="button"
              class="linkbutton"
              aria-label={t('image.removeNumber', { number: index + 1 })}
              onClick={() => onValue(value.filter((one) => one !== path))}
            >
              {t('image.removeOne')}
            </button>
          </li>
        ))}
      </ol>
      {value.length < most && (
        <label class="linkbutton">
          {busy ? t('state.working') : t('image.add')}
          <input
            type="file"
            class="visually-hidden"
            multiple
            accept={IMAGE_TYPES.join(',')}
            disabled={busy}
            onChange={({ currentTarget }) => {
              // Without the reset, the browser reports no change if the person chooses the same file again.
              void add([...(currentTarget.files ?? [])]).finally(() => {
                currentTarget.value = '';
              });
            }}
          />
        </label>
      )}
      <p class="field__hint">{hint}</p>
      {problem !== undefined && (
        <p class="field__error" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
