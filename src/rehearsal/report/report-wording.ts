import type { CheckName, CheckState } from './checks.js';

export const REPORT_LANGUAGES = ['en', 'de', 'fr', 'it', 'es', 'nl'] as const;
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number];

export interface ReportWording {
  readonly title: string;
  readonly states: Readonly<Record<CheckState, string>>;
  /** Title, and advice for a check that did not pass. */
  readonly checks: Readonly<Record<CheckName, readonly [title: string, advice: string]>>;
  readonly load: readonly [gifts: string, intent: string, record: string, wall: string, errors: string];
}

export const REPORT_WORDING: Readonly<Record<ReportLanguage, ReportWording>> = {
  en: {
    title: 'Report of the rehearsal',
    states: { passed: 'Passed', failed: 'Failed', unknown: 'Unknown' },
    checks: {
      phone: ['A phone outside reaches the server', 'Scan the code with a phone on mobile data.'],
      mail: [
        'A receipt was sent by e-mail',
        'Set SMTP_URL and an address for e-mails, then play an evening.',
      ],
      provider: ['A payment provider is set up', 'Set test keys to try payments; live keys are not tried.'],
      webhook: [
        'The webhook of the provider arrived',
        'Pay once in the rehearsal, and check the webhook address.',
      ],
      terminals: ['Each terminal was in use', 'Switch on each terminal and sign in to the rehearsal.'],
      queues: [
        'Each terminal sent a record from its queue',
        'Record once without network, and connect after a minute.',
      ],
      pins: ['Each volunteer used the PIN', 'Each volunteer signs in once to the rehearsal.'],
      wall: ['A wall is open', 'Open the wall of the rehearsal while you read this report.'],
      networks: ['TRUSTED_NETWORKS contains the tills', 'Add the address of the venue to TRUSTED_NETWORKS.'],
      backup: ['A backup is younger than a day', 'Run scripts/database/backup.sh every day.'],
      evening: [
        'Each played gift was booked once',
        'Play an evening to its end; look for the errors in the log.',
      ],
      server: ['The parts of the server', 'The technician runs npm run doctor and corrects the named lines.'],
    },
    load: ['Gifts', 'Start of a payment', 'Record', 'Wall', 'Errors'],
  },
  de: {
    title: 'Bericht der Probe',
    states: { passed: 'In Ordnung', failed: 'Fehler', unknown: 'Unbekannt' },
    checks: {
      phone: [
        'Ein Telefon von außen erreicht den Server',
        'Den Code mit einem Telefon im Mobilfunk scannen.',
      ],
      mail: [
        'Eine Quittung ging per E-Mail ab',
        'SMTP_URL und eine Adresse für E-Mails angeben, dann einen Abend spielen.',
      ],
      provider: [
        'Ein Zahlungsanbieter ist eingerichtet',
        'Testschlüssel eintragen, um Zahlungen zu proben; echte werden nicht geprobt.',
      ],
      webhook: [
        'Der Webhook des Anbieters kam an',
        'In der Probe einmal zahlen und die Webhook-Adresse prüfen.',
      ],
      terminals: ['Jedes Gerät war im Einsatz', 'Jedes Gerät einschalten und an der Probe anmelden.'],
      queues: [
        'Jedes Gerät hat aus der Warteschlange gesendet',
        'Einmal ohne Netz erfassen und nach einer Minute verbinden.',
      ],
      pins: ['Alle Helfer haben ihre PIN benutzt', 'Jede Person meldet sich einmal an der Probe an.'],
      wall: ['Eine Leinwand ist offen', 'Die Leinwand der Probe öffnen, während Sie den Bericht lesen.'],
      networks: [
        'TRUSTED_NETWORKS enthält die Kassen',
        'Die Adresse des Saals zu TRUSTED_NETWORKS hinzufügen.',
      ],
      backup: ['Eine Sicherung ist jünger als ein Tag', 'scripts/database/backup.sh täglich ausführen.'],
      evening: [
        'Jede gespielte Gabe ist einmal gebucht',
        'Einen Abend bis zum Ende spielen; Fehler stehen im Protokoll.',
      ],
      server: [
        'Die Teile des Servers',
        'Die Technik führt npm run doctor aus und korrigiert die genannten Zeilen.',
      ],
    },
    load: ['Gaben', 'Beginn einer Zahlung', 'Erfassung', 'Leinwand', 'Fehler'],
  },
  fr: {
    title: 'Rapport de la répétition',
    states: { passed: 'Réussi', failed: 'Échec', unknown: 'Inconnu' },
    checks: {
      phone: [
        'Un téléphone extérieur atteint le serveur',
        'Scannez le code avec un téléphone sur le réseau mobile.',
      ],
      mail: [
        'Un reçu est parti par e-mail',
        'Indiquez SMTP_URL et une adresse pour les e-mails, puis jouez une soirée.',
      ],
      provider: [
        'Un prestataire de paiement est configuré',
        'Mettez des clés de test pour essayer les paiements ; les clés réelles ne sont pas essayées.',
      ],
      webhook: [
        'Le webhook du prestataire est arrivé',
        'Payez une fois dans la répétition et vérifiez l’adresse du webhook.',
      ],
      terminals: ['Chaque terminal a servi', 'Allumez chaque terminal et connectez-le à la répétition.'],
      queues: [
        'Chaque terminal a envoyé un don en attente',
        'Saisissez un don sans réseau, puis reconnectez après une minute.',
      ],
      pins: ['Chaque bénévole a utilisé son code', 'Chaque bénévole se connecte une fois à la répétition.'],
      wall: ['Un mur est ouvert', 'Ouvrez le mur de la répétition pendant la lecture de ce rapport.'],
      networks: [
        'TRUSTED_NETWORKS contient les caisses',
        'Ajoutez l’adresse de la salle à TRUSTED_NETWORKS.',
      ],
      backup: ['Une sauvegarde a moins d’un jour', 'Exécutez scripts/database/backup.sh chaque jour.'],
      evening: [
        'Chaque don joué est comptabilisé une fois',
        'Jouez une soirée jusqu’à la fin ; les erreurs sont dans le journal.',
      ],
      server: [
        'Les parties du serveur',
        'Le technicien exécute npm run doctor et corrige les lignes nommées.',
      ],
    },
    load: ['Dons', 'Début d’un paiement', 'Saisie', 'Mur', 'Erreurs'],
  },
  it: {
    title: 'Rapporto della prova',
    states: { passed: 'Superato', failed: 'Fallito', unknown: 'Sconosciuto' },
    checks: {
      phone: [
        'Un telefono esterno raggiunge il server',
        'Inquadra il codice con un telefono su rete mobile.',
      ],
      mail: [
        'Una ricevuta è partita per e-mail',
        'Imposta SMTP_URL e un indirizzo per le e-mail, poi simula una serata.',
      ],
      provider: [
        'Un fornitore di pagamenti è configurato',
        'Imposta chiavi di test per provare i pagamenti; quelle reali non si provano.',
      ],
      webhook: [
        'Il webhook del fornitore è arrivato',
        'Paga una volta nella prova e controlla l’indirizzo del webhook.',
      ],
      terminals: ['Ogni terminale è stato usato', 'Accendi ogni terminale e accedi alla prova.'],
      queues: [
        'Ogni terminale ha inviato un dono in attesa',
        'Registra una volta senza rete e collegati dopo un minuto.',
      ],
      pins: ['Ogni volontario ha usato il PIN', 'Ogni volontario accede una volta alla prova.'],
      wall: ['Uno schermo è aperto', 'Apri lo schermo della prova mentre leggi questo rapporto.'],
      networks: ['TRUSTED_NETWORKS contiene le casse', 'Aggiungi l’indirizzo della sala a TRUSTED_NETWORKS.'],
      backup: ['Un backup ha meno di un giorno', 'Esegui scripts/database/backup.sh ogni giorno.'],
      evening: [
        'Ogni dono simulato è registrato una volta',
        'Simula una serata fino alla fine; gli errori sono nel registro.',
      ],
      server: ['Le parti del server', 'Il tecnico esegue npm run doctor e corregge le righe indicate.'],
    },
    load: ['Doni', 'Inizio di un pagamento', 'Registrazione', 'Schermo', 'Errori'],
  },
  es: {
    title: 'Informe del ensayo',
    states: { passed: 'Superado', failed: 'Fallido', unknown: 'Desconocido' },
    checks: {
      phone: ['Un teléfono externo llega al servidor', 'Escanee el código con un teléfono en la red móvil.'],
      mail: [
        'Un recibo salió por correo',
        'Indique SMTP_URL y una dirección para los correos, y simule una noche.',
      ],
      provider: [
        'Hay un proveedor de pagos',
        'Ponga claves de prueba para probar pagos; las reales no se prueban.',
      ],
      webhook: [
        'El webhook del proveedor llegó',
        'Pague una vez en el ensayo y revise la dirección del webhook.',
      ],
      terminals: ['Cada terminal estuvo en uso', 'Encienda cada terminal y entre en el ensayo.'],
      queues: [
        'Cada terminal envió un registro en espera',
        'Registre una vez sin red y conecte después de un minuto.',
      ],
      pins: ['Cada voluntario usó su PIN', 'Cada voluntario entra una vez en el ensayo.'],
      wall: ['Hay una pantalla abierta', 'Abra la pantalla del ensayo mientras lee este informe.'],
      networks: ['TRUSTED_NETWORKS contiene las cajas', 'Añada la dirección de la sala a TRUSTED_NETWORKS.'],
      backup: ['Una copia tiene menos de un día', 'Ejecute scripts/database/backup.sh cada día.'],
      evening: [
        'Cada donación simulada se registró una vez',
        'Simule una noche hasta el final; los errores están en el registro.',
      ],
      server: [
        'Las partes del servidor',
        'El técnico ejecuta npm run doctor y corrige las líneas indicadas.',
      ],
    },
    load: ['Donaciones', 'Inicio de un pago', 'Registro', 'Pantalla', 'Errores'],
  },
  nl: {
    title: 'Verslag van de repetitie',
    states: { passed: 'In orde', failed: 'Mislukt', unknown: 'Onbekend' },
    checks: {
      phone: [
        'Een telefoon van buiten bereikt de server',
        'Scan de code met een telefoon op het mobiele net.',
      ],
      mail: [
        'Een kwitantie is per e-mail verstuurd',
        'Stel SMTP_URL en een adres voor e-mails in en speel een avond.',
      ],
      provider: [
        'Er is een betaalaanbieder ingesteld',
        'Stel testsleutels in om betalingen te proberen; echte worden niet geprobeerd.',
      ],
      webhook: [
        'De webhook van de aanbieder kwam aan',
        'Betaal een keer in de repetitie en controleer het webhookadres.',
      ],
      terminals: ['Elk apparaat is gebruikt', 'Zet elk apparaat aan en meld het aan bij de repetitie.'],
      queues: [
        'Elk apparaat stuurde een wachtende gift',
        'Leg een keer zonder net vast en verbind na een minuut.',
      ],
      pins: [
        'Elke vrijwilliger gebruikte de pincode',
        'Elke vrijwilliger meldt zich een keer aan bij de repetitie.',
      ],
      wall: ['Er is een scherm open', 'Open het scherm van de repetitie terwijl u dit verslag leest.'],
      networks: ['TRUSTED_NETWORKS bevat de kassa’s', 'Voeg het adres van de zaal toe aan TRUSTED_NETWORKS.'],
      backup: ['Een back-up is jonger dan een dag', 'Voer scripts/database/backup.sh elke dag uit.'],
      evening: [
        'Elke gespeelde gift is een keer geboekt',
        'Speel een avond tot het einde; fouten staan in het logboek.',
      ],
      server: [
        'De onderdelen van de server',
        'De technicus voert npm run doctor uit en corrigeert de genoemde regels.',
      ],
    },
    load: ['Giften', 'Begin van een betaling', 'Vastlegging', 'Scherm', 'Fouten'],
  },
};
