import type { PrintLanguage } from './print-limits.js';

/** Words on posters and table cards. */
export interface PrintWording {
  readonly invitation: string;
  readonly how: string;
  /** `{table}` is replaced. */
  readonly table: string;
  readonly alt: string;
}

export const PRINT_WORDING: Readonly<Record<PrintLanguage, PrintWording>> = {
  en: {
    invitation: 'Scan and give',
    how: 'Open your camera and point it at the code. You need no app.',
    table: 'Table {table}',
    alt: 'QR code of the donate page',
  },
  de: {
    invitation: 'Scannen und spenden',
    how: 'Kamera öffnen und auf den Code richten. Sie brauchen keine App.',
    table: 'Tisch {table}',
    alt: 'QR-Code der Spendenseite',
  },
  fr: {
    invitation: 'Scannez et donnez',
    how: 'Ouvrez l’appareil photo et visez le code. Aucune application n’est nécessaire.',
    table: 'Table {table}',
    alt: 'Code QR de la page de don',
  },
  es: {
    invitation: 'Escanee y done',
    how: 'Abra la cámara y apunte al código. No necesita ninguna aplicación.',
    table: 'Mesa {table}',
    alt: 'Código QR de la página de donación',
  },
  it: {
    invitation: 'Inquadra e dona',
    how: 'Apra la fotocamera e inquadri il codice. Non serve nessuna app.',
    table: 'Tavolo {table}',
    alt: 'Codice QR della pagina di donazione',
  },
  nl: {
    invitation: 'Scan en geef',
    how: 'Open uw camera en richt hem op de code. U hebt geen app nodig.',
    table: 'Tafel {table}',
    alt: 'QR-code van de donatiepagina',
  },
  ar: {
    invitation: 'امسح الرمز وتبرّع',
    how: 'افتح الكاميرا ووجّهها نحو الرمز. لا تحتاج إلى أي تطبيق.',
    table: 'الطاولة {table}',
    alt: 'رمز QR لصفحة التبرع',
  },
};
