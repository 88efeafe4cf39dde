import { Icon } from './icons.js';

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Finds as one types. */
export const SearchBox = ({ label, value, onValue }: SearchBoxProps) => (
  <label class="searchbox">
    <Icon name="search" />
    <span class="visually-hidden">{label}</span>
    <input
      type="search"
      class="input"
      placeholder={label}
      value={value}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  </label>
);
