/** Names of guests in a rehearsal. They show how a screen displays long names and other writing systems. */
export const FIRST_NAMES = [
  'Amal',
  'Bjørn',
  'Chloé',
  'Deniz',
  'Efua',
  'Farid',
  'Grete',
  'Hana',
  'Íñigo',
  'Jürgen',
  'مريم',
  'דוד',
  '美咲',
];
export const LAST_NAMES = [
  'Adeyemi',
  'Brandenburg-Oppenheimer',
  'Castellanos y Fernández',
  'Dvořák',
  'El-Masri',
  'Fitzgerald',
  'García',
  'Haugen',
  '王',
  'Żółkiewski',
  'Öztürk',
];
