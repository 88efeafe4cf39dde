/** Texts of the e-mail about a disabled webhook endpoint, in one language. `{names}` are placeholders. */
interface WebhookWording {
  readonly subject: string;
  readonly text: string;
  readonly advice: string;
  readonly why: string;
}

const WORDINGS: Readonly<Record<string, WebhookWording>> = {
  en: {
    subject: 'Webhooks to {endpoint} were stopped',
    text: '{endpoint} has not accepted messages about donations, so the server stopped sending them. Donations and totals are correct.',
    advice:
      'Send a test message in the dashboard under Settings, Connections. When it arrives, enable the endpoint again.',
    why: 'You receive this e-mail because you are an administrator of {organization}.',
  },
  de: {
    subject: 'Webhooks an {endpoint} wurden angehalten',
    text: '{endpoint} hat keine Nachrichten über Spenden angenommen. Der Server sendet deshalb keine mehr. Spenden und Summen stimmen.',
    advice:
      'Senden Sie im Dashboard unter Einstellungen, Verbindungen eine Testnachricht. Wenn sie ankommt, schalten Sie das Ziel wieder ein.',
    why: 'Sie erhalten diese E-Mail, weil Sie {organization} verwalten.',
  },
  fr: {
    subject: 'Les webhooks vers {endpoint} sont arrêtés',
    text: '{endpoint} n’a pas accepté de messages sur les dons. Le serveur n’en envoie donc plus. Les dons et les totaux sont corrects.',
    advice:
      'Envoyez un message de test dans le tableau de bord sous Réglages, Connexions. S’il arrive, réactivez la destination.',
    why: 'Vous recevez cet e-mail parce que vous administrez {organization}.',
  },
  es: {
    subject: 'Los webhooks a {endpoint} se detuvieron',
    text: '{endpoint} no aceptó mensajes sobre donaciones, por eso el servidor dejó de enviarlos. Las donaciones y los totales son correctos.',
    advice:
      'Envíe un mensaje de prueba en el panel, en Ajustes, Conexiones. Cuando llegue, vuelva a activar el destino.',
    why: 'Recibe este correo porque administra {organization}.',
  },
  it: {
    subject: 'I webhook verso {endpoint} sono stati fermati',
    text: '{endpoint} non ha accettato messaggi sulle donazioni, quindi il server non li invia più. Le donazioni e i totali sono corretti.',
    advice:
      'Invii un messaggio di prova nel pannello, in Impostazioni, Connessioni. Se arriva, riattivi la destinazione.',
    why: 'Riceve questa e-mail perché amministra {organization}.',
  },
  nl: {
    subject: 'Webhooks naar {endpoint} zijn gestopt',
    text: '{endpoint} nam geen berichten over donaties aan. De server verstuurt ze daarom niet meer. De donaties en totalen kloppen.',
    advice:
      'Stuur een testbericht in het dashboard via Instellingen, Verbindingen. Schakel de bestemming weer in als het aankomt.',
    why: 'U ontvangt deze e-mail omdat u {organization} beheert.',
  },
  ar: {
    subject: 'توقفت رسائل الويب إلى {endpoint}',
    text: 'لم يقبل {endpoint} الرسائل عن التبرعات، فأوقف الخادم إرسالها. التبرعات والمجاميع صحيحة.',
    advice: 'أرسلوا رسالة تجريبية من اللوحة في الإعدادات، الاتصالات. إذا وصلت فأعيدوا تفعيل الوجهة.',
    why: 'وصلتكم هذه الرسالة لأنكم تديرون {organization}.',
  },
};

/** @param language of `emailWording` */
export const webhookWording = (language: string): WebhookWording =>
  WORDINGS[language] ?? (WORDINGS['en'] as WebhookWording);
