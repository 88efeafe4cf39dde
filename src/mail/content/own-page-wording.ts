/** Texts of an e-mail with an address of the donor's own page. `{names}` are placeholders. */
export interface OwnPageEmailWording {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly button: string;
  readonly why: string;
}

/** Kinds of e-mails with an address of the donor's own page. */
export type OwnPageEmail = 'own_page_link' | 'erasure_requested' | 'missing_address';

export interface OwnPageWording extends Readonly<Record<OwnPageEmail, OwnPageEmailWording>> {
  /** Label of the link to the page in other e-mails. */
  readonly link: string;
}

const OWN_PAGE_WORDINGS = {
  en: {
    link: 'See all my donations',
    own_page_link: {
      subject: 'Your donations to {organization}',
      paragraphs: [
        'With this link you see your donations to {organization}, and download receipts and annual statements.',
        'The link works once, until {until}.',
      ],
      button: 'See my donations',
      why: 'You receive this e-mail because somebody entered this address on the page of {organization}. If it was not you, ignore this e-mail. Nothing happens without the link.',
    },
    erasure_requested: {
      subject: 'Your request to delete your data',
      paragraphs: [
        '{organization} has received your request to delete your personal data. A person answers it, usually within a month.',
        'Some facts about donations must be kept for some years by law, for example for the tax office. You will learn which ones.',
      ],
      button: 'See my donations',
      why: 'You receive this e-mail because the request was made on your page at {organization}. If it was not you, please answer this e-mail.',
    },
    missing_address: {
      subject: 'Your address for the receipt of {organization}',
      paragraphs: [
        'Thank you for your donation to {organization}. For a receipt that the tax office accepts, we need your postal address.',
        'Please add it on your page. The link works once, until {until}. After that, you can request a new link there.',
      ],
      button: 'Add my address',
      why: 'You receive this e-mail because you gave this address with a donation to {organization}.',
    },
  },
  de: {
    link: 'Alle meine Spenden ansehen',
    own_page_link: {
      subject: 'Ihre Spenden an {organization}',
      paragraphs: [
        'Mit diesem Link sehen Sie Ihre Spenden an {organization} und laden Quittungen und Jahresübersichten herunter.',
        'Der Link gilt einmal, bis {until}.',
      ],
      button: 'Meine Spenden ansehen',
      why: 'Sie erhalten diese E-Mail, weil jemand diese Adresse auf der Seite von {organization} eingegeben hat. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ohne den Link geschieht nichts.',
    },
    erasure_requested: {
      subject: 'Ihr Antrag auf Löschung Ihrer Daten',
      paragraphs: [
        '{organization} hat Ihren Antrag erhalten, Ihre persönlichen Daten zu löschen. Ein Mensch beantwortet ihn, meist innerhalb eines Monats.',
        'Einige Angaben zu Spenden müssen nach dem Gesetz einige Jahre aufbewahrt werden, zum Beispiel für das Finanzamt. Sie erfahren, welche das sind.',
      ],
      button: 'Meine Spenden ansehen',
      why: 'Sie erhalten diese E-Mail, weil der Antrag auf Ihrer Seite bei {organization} gestellt wurde. Wenn Sie das nicht waren, antworten Sie bitte auf diese E-Mail.',
    },
    missing_address: {
      subject: 'Ihre Anschrift für die Quittung von {organization}',
      paragraphs: [
        'Danke für Ihre Spende an {organization}. Für eine Bestätigung, die das Finanzamt anerkennt, brauchen wir Ihre Anschrift.',
        'Bitte ergänzen Sie sie auf Ihrer Seite. Der Link gilt einmal, bis {until}. Danach können Sie dort einen neuen Link anfordern.',
      ],
      button: 'Anschrift ergänzen',
      why: 'Sie erhalten diese E-Mail, weil Sie diese Adresse bei einer Spende an {organization} angegeben haben.',
    },
  },
  fr: {
    link: 'Voir tous mes dons',
    own_page_link: {
      subject: 'Vos dons à {organization}',
      paragraphs: [
        'Avec ce lien, vous voyez vos dons à {organization} et téléchargez les reçus et les relevés annuels.',
        'Le lien fonctionne une fois, jusqu’au {until}.',
      ],
      button: 'Voir mes dons',
      why: 'Vous recevez cet e-mail parce que quelqu’un a saisi cette adresse sur la page de {organization}. Si ce n’était pas vous, ignorez cet e-mail. Sans le lien, rien ne se passe.',
    },
    erasure_requested: {
      subject: 'Votre demande d’effacement de vos données',
      paragraphs: [
        '{organization} a reçu votre demande d’effacer vos données personnelles. Une personne y répond, en général en moins d’un mois.',
        'La loi oblige à conserver certaines données sur les dons pendant quelques années, par exemple pour l’administration fiscale. Vous saurez lesquelles.',
      ],
      button: 'Voir mes dons',
      why: 'Vous recevez cet e-mail parce que la demande a été faite sur votre page chez {organization}. Si ce n’était pas vous, répondez à cet e-mail.',
    },
    missing_address: {
      subject: 'Votre adresse pour le reçu de {organization}',
      paragraphs: [
        'Merci pour votre don à {organization}. Pour un reçu que l’administration fiscale accepte, nous avons besoin de votre adresse postale.',
        'Ajoutez-la sur votre page. Le lien fonctionne une fois, jusqu’au {until}. Ensuite, vous pouvez y demander un nouveau lien.',
      ],
      button: 'Ajouter mon adresse',
      why: 'Vous recevez cet e-mail parce que vous avez indiqué cette adresse lors d’un don à {organization}.',
    },
  },
  es: {
    link: 'Ver todas mis donaciones',
    own_page_link: {
      subject: 'Sus donaciones a {organization}',
      paragraphs: [
        'Con este enlace puede ver sus donaciones a {organization} y descargar recibos y resúmenes anuales.',
        'El enlace funciona una vez, hasta el {until}.',
      ],
      button: 'Ver mis donaciones',
      why: 'Recibe este correo porque alguien introdujo esta dirección en la página de {organization}. Si no fue usted, ignore este correo. Sin el enlace no ocurre nada.',
    },
    erasure_requested: {
      subject: 'Su solicitud de borrar sus datos',
      paragraphs: [
        '{organization} ha recibido su solicitud de borrar sus datos personales. Una persona le responde, normalmente en un mes.',
        'La ley obliga a conservar algunos datos de las donaciones durante unos años, por ejemplo para Hacienda. Sabrá cuáles son.',
      ],
      button: 'Ver mis donaciones',
      why: 'Recibe este correo porque la solicitud se hizo en su página de {organization}. Si no fue usted, responda a este correo.',
    },
    missing_address: {
      subject: 'Su dirección para el recibo de {organization}',
      paragraphs: [
        'Gracias por su donación a {organization}. Para un recibo que Hacienda acepte, necesitamos su dirección postal.',
        'Añádala en su página. El enlace funciona una vez, hasta el {until}. Después puede pedir allí un enlace nuevo.',
      ],
      button: 'Añadir mi dirección',
      why: 'Recibe este correo porque indicó esta dirección en una donación a {organization}.',
    },
  },
  it: {
    link: 'Vedere tutte le mie donazioni',
    own_page_link: {
      subject: 'Le sue donazioni a {organization}',
      paragraphs: [
        'Con questo link vede le sue donazioni a {organization} e scarica ricevute e riepiloghi annuali.',
        'Il link funziona una volta, fino al {until}.',
      ],
      button: 'Vedere le mie donazioni',
      why: 'Riceve questa e-mail perché qualcuno ha inserito questo indirizzo nella pagina di {organization}. Se non è stato lei, ignori questa e-mail. Senza il link non succede nulla.',
    },
    erasure_requested: {
      subject: 'La sua richiesta di cancellare i dati',
      paragraphs: [
        '{organization} ha ricevuto la sua richiesta di cancellare i dati personali. Una persona le risponde, di solito entro un mese.',
        'La legge obbliga a conservare alcuni dati delle donazioni per alcuni anni, per esempio per il fisco. Le sarà indicato quali.',
      ],
      button: 'Vedere le mie donazioni',
      why: 'Riceve questa e-mail perché la richiesta è stata fatta nella sua pagina presso {organization}. Se non è stato lei, risponda a questa e-mail.',
    },
    missing_address: {
      subject: 'Il suo indirizzo per la ricevuta di {organization}',
      paragraphs: [
        'Grazie per la sua donazione a {organization}. Per una ricevuta che il fisco accetta, ci serve il suo indirizzo postale.',
        'Lo aggiunga nella sua pagina. Il link funziona una volta, fino al {until}. Dopo può chiedere lì un nuovo link.',
      ],
      button: 'Aggiungere il mio indirizzo',
      why: 'Riceve questa e-mail perché ha indicato questo indirizzo in una donazione a {organization}.',
    },
  },
  nl: {
    link: 'Al mijn donaties bekijken',
    own_page_link: {
      subject: 'Uw donaties aan {organization}',
      paragraphs: [
        'Met deze link ziet u uw donaties aan {organization} en downloadt u kwitanties en jaaroverzichten.',
        'De link werkt één keer, tot {until}.',
      ],
      button: 'Mijn donaties bekijken',
      why: 'U ontvangt deze e-mail omdat iemand dit adres heeft ingevuld op de pagina van {organization}. Was u dat niet, dan kunt u deze e-mail negeren. Zonder de link gebeurt er niets.',
    },
    erasure_requested: {
      subject: 'Uw verzoek om uw gegevens te wissen',
      paragraphs: [
        '{organization} heeft uw verzoek ontvangen om uw persoonsgegevens te wissen. Een medewerker antwoordt, meestal binnen een maand.',
        'Sommige gegevens over donaties moeten volgens de wet enkele jaren bewaard blijven, bijvoorbeeld voor de belastingdienst. U hoort welke dat zijn.',
      ],
      button: 'Mijn donaties bekijken',
      why: 'U ontvangt deze e-mail omdat het verzoek is gedaan op uw pagina bij {organization}. Was u dat niet, beantwoord dan deze e-mail.',
    },
    missing_address: {
      subject: 'Uw adres voor de kwitantie van {organization}',
      paragraphs: [
        'Dank u voor uw donatie aan {organization}. Voor een kwitantie die de belastingdienst accepteert, hebben we uw postadres nodig.',
        'Vul het aan op uw pagina. De link werkt één keer, tot {until}. Daarna kunt u daar een nieuwe link aanvragen.',
      ],
      button: 'Mijn adres aanvullen',
      why: 'U ontvangt deze e-mail omdat u dit adres hebt opgegeven bij een donatie aan {organization}.',
    },
  },
  ar: {
    link: 'عرض كل تبرعاتي',
    own_page_link: {
      subject: 'تبرعاتكم إلى {organization}',
      paragraphs: [
        'بهذا الرابط ترون تبرعاتكم إلى {organization} وتنزّلون الإيصالات والكشوف السنوية.',
        'يعمل الرابط مرة واحدة، حتى {until}.',
      ],
      button: 'عرض تبرعاتي',
      why: 'وصلتكم هذه الرسالة لأن شخصًا أدخل هذا العنوان في صفحة {organization}. إن لم تكونوا أنتم، فتجاهلوا هذه الرسالة. لا يحدث شيء من دون الرابط.',
    },
    erasure_requested: {
      subject: 'طلبكم حذف بياناتكم',
      paragraphs: [
        'استلمت {organization} طلبكم حذف بياناتكم الشخصية. سيجيب عليه أحد الموظفين، عادةً خلال شهر.',
        'يلزم القانون بحفظ بعض بيانات التبرعات عدة سنوات، مثلًا لمصلحة الضرائب. وسنخبركم بما هي.',
      ],
      button: 'عرض تبرعاتي',
      why: 'وصلتكم هذه الرسالة لأن الطلب قُدِّم في صفحتكم لدى {organization}. إن لم تكونوا أنتم، فأجيبوا على هذه الرسالة.',
    },
    missing_address: {
      subject: 'عنوانكم لإيصال {organization}',
      paragraphs: [
        'شكرًا لتبرعكم إلى {organization}. لإصدار إيصال تقبله مصلحة الضرائب، نحتاج إلى عنوانكم البريدي.',
        'أضيفوه في صفحتكم. يعمل الرابط مرة واحدة، حتى {until}. وبعد ذلك يمكنكم طلب رابط جديد هناك.',
      ],
      button: 'إضافة عنواني',
      why: 'وصلتكم هذه الرسالة لأنكم كتبتم هذا العنوان مع تبرع إلى {organization}.',
    },
  },
} as const satisfies Readonly<Record<string, OwnPageWording>>;

/** Returns the wording for a language, in English if there is none. */
export const ownPageWording = (language: string): OwnPageWording =>
  Object.hasOwn(OWN_PAGE_WORDINGS, language)
    ? OWN_PAGE_WORDINGS[language as keyof typeof OWN_PAGE_WORDINGS]
    : OWN_PAGE_WORDINGS.en;
