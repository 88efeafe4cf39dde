import type { AccountChange } from './account-change.js';

/** The words of the e-mail about a change of an account, in one language. `{names}` are filled in. */
export interface AccountChangeWording {
  readonly subject: string;
  readonly changes: Readonly<Record<AccountChange, string>>;
  readonly when: string;
  readonly from: string;
  /** Where a change came from that no request made. */
  readonly server: string;
  readonly advice: string;
  readonly why: string;
}

export const ACCOUNT_CHANGE_WORDINGS = {
  en: {
    subject: 'Your access to {organization} was changed',
    changes: {
      secondFactorOn: 'A second factor was set up for your account. All other sign-ins have ended.',
      secondFactorOff: 'The second factor of your account was switched off.',
      recoveryCodeUsed: 'A recovery code was used to sign in to your account.',
      password: 'The password of your account was changed. All other sign-ins have ended.',
      sessionsEnded: 'Sign-ins of your account were ended.',
      identityBound: 'Your account can now be entered by the identity provider.',
      identityUnbound:
        'Your account cannot be entered by the identity provider any more. All sign-ins have ended.',
      role: 'Your account has another role now. All sign-ins have ended.',
      disabled: 'Your account was disabled. All sign-ins have ended.',
      enabled: 'Your account was enabled again.',
      removed: 'Your account was removed.',
    },
    when: 'When',
    from: 'From',
    server: 'the command line of the server',
    advice:
      'If it was not you, change your password at once and tell another administrator of {organization}.',
    why: 'You get this e-mail because it is about your account at {organization}.',
  },
  de: {
    subject: 'Ihr Zugang zu {organization} wurde geändert',
    changes: {
      secondFactorOn:
        'Für Ihr Konto wurde ein zweiter Faktor eingerichtet. Alle anderen Anmeldungen sind beendet.',
      secondFactorOff: 'Der zweite Faktor Ihres Kontos wurde ausgeschaltet.',
      recoveryCodeUsed: 'Mit einem Wiederherstellungscode wurde sich an Ihrem Konto angemeldet.',
      password: 'Das Passwort Ihres Kontos wurde geändert. Alle anderen Anmeldungen sind beendet.',
      sessionsEnded: 'Anmeldungen Ihres Kontos wurden beendet.',
      identityBound: 'Ihr Konto kann jetzt über den Identitätsanbieter geöffnet werden.',
      identityUnbound:
        'Ihr Konto kann nicht mehr über den Identitätsanbieter geöffnet werden. Alle Anmeldungen sind beendet.',
      role: 'Ihr Konto hat jetzt eine andere Rolle. Alle Anmeldungen sind beendet.',
      disabled: 'Ihr Konto wurde gesperrt. Alle Anmeldungen sind beendet.',
      enabled: 'Ihr Konto wurde wieder freigegeben.',
      removed: 'Ihr Konto wurde entfernt.',
    },
    when: 'Wann',
    from: 'Von',
    server: 'Befehlszeile des Servers',
    advice:
      'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort und sagen Sie es einer anderen Person, die {organization} verwaltet.',
    why: 'Sie erhalten diese E-Mail, weil es um Ihr Konto bei {organization} geht.',
  },
  fr: {
    subject: 'Votre accès à {organization} a été modifié',
    changes: {
      secondFactorOn:
        'Un second facteur a été configuré pour votre compte. Toutes les autres connexions ont pris fin.',
      secondFactorOff: 'Le second facteur de votre compte a été désactivé.',
      recoveryCodeUsed: 'Un code de secours a servi à se connecter à votre compte.',
      password: 'Le mot de passe de votre compte a été changé. Toutes les autres connexions ont pris fin.',
      sessionsEnded: 'Des connexions de votre compte ont été fermées.',
      identityBound: 'Votre compte peut désormais être ouvert par le fournisseur d’identité.',
      identityUnbound:
        'Votre compte ne peut plus être ouvert par le fournisseur d’identité. Toutes les connexions ont pris fin.',
      role: 'Votre compte a maintenant un autre rôle. Toutes les connexions ont pris fin.',
      disabled: 'Votre compte a été désactivé. Toutes les connexions ont pris fin.',
      enabled: 'Votre compte a été réactivé.',
      removed: 'Votre compte a été supprimé.',
    },
    when: 'Quand',
    from: 'Depuis',
    server: 'la ligne de commande du serveur',
    advice:
      'Si ce n’était pas vous, changez tout de suite votre mot de passe et prévenez un autre administrateur de {organization}.',
    why: 'Vous recevez cet e-mail car il concerne votre compte chez {organization}.',
  },
  es: {
    subject: 'Su acceso a {organization} ha cambiado',
    changes: {
      secondFactorOn: 'Se ha configurado un segundo factor para su cuenta. Las demás sesiones han terminado.',
      secondFactorOff: 'Se ha desactivado el segundo factor de su cuenta.',
      recoveryCodeUsed: 'Se ha usado un código de recuperación para entrar en su cuenta.',
      password: 'Se ha cambiado la contraseña de su cuenta. Las demás sesiones han terminado.',
      sessionsEnded: 'Se han cerrado sesiones de su cuenta.',
      identityBound: 'Ahora se puede entrar en su cuenta con el proveedor de identidad.',
      identityUnbound:
        'Ya no se puede entrar en su cuenta con el proveedor de identidad. Todas las sesiones han terminado.',
      role: 'Su cuenta tiene ahora otro rol. Todas las sesiones han terminado.',
      disabled: 'Su cuenta ha sido desactivada. Todas las sesiones han terminado.',
      enabled: 'Su cuenta ha sido activada de nuevo.',
      removed: 'Su cuenta ha sido eliminada.',
    },
    when: 'Cuándo',
    from: 'Desde',
    server: 'la línea de comandos del servidor',
    advice:
      'Si no ha sido usted, cambie su contraseña de inmediato y avise a otro administrador de {organization}.',
    why: 'Recibe este correo porque trata de su cuenta en {organization}.',
  },
  it: {
    subject: 'Il suo accesso a {organization} è cambiato',
    changes: {
      secondFactorOn:
        'È stato configurato un secondo fattore per il suo account. Tutti gli altri accessi sono terminati.',
      secondFactorOff: 'Il secondo fattore del suo account è stato disattivato.',
      recoveryCodeUsed: 'Un codice di recupero è stato usato per accedere al suo account.',
      password: 'La password del suo account è stata cambiata. Tutti gli altri accessi sono terminati.',
      sessionsEnded: 'Alcuni accessi del suo account sono stati chiusi.',
      identityBound: 'Ora si può accedere al suo account con il provider di identità.',
      identityUnbound:
        'Non si può più accedere al suo account con il provider di identità. Tutti gli accessi sono terminati.',
      role: 'Il suo account ha ora un altro ruolo. Tutti gli accessi sono terminati.',
      disabled: 'Il suo account è stato disattivato. Tutti gli accessi sono terminati.',
      enabled: 'Il suo account è stato riattivato.',
      removed: 'Il suo account è stato rimosso.',
    },
    when: 'Quando',
    from: 'Da',
    server: 'la riga di comando del server',
    advice:
      'Se non è stato lei, cambi subito la password e avvisi un altro amministratore di {organization}.',
    why: 'Riceve questa e-mail perché riguarda il suo account presso {organization}.',
  },
  nl: {
    subject: 'Uw toegang tot {organization} is gewijzigd',
    changes: {
      secondFactorOn:
        'Voor uw account is een tweede factor ingesteld. Alle andere aanmeldingen zijn beëindigd.',
      secondFactorOff: 'De tweede factor van uw account is uitgeschakeld.',
      recoveryCodeUsed: 'Met een herstelcode is aangemeld bij uw account.',
      password: 'Het wachtwoord van uw account is gewijzigd. Alle andere aanmeldingen zijn beëindigd.',
      sessionsEnded: 'Aanmeldingen van uw account zijn beëindigd.',
      identityBound: 'Uw account is nu ook via de identiteitsprovider te openen.',
      identityUnbound:
        'Uw account is niet meer via de identiteitsprovider te openen. Alle aanmeldingen zijn beëindigd.',
      role: 'Uw account heeft nu een andere rol. Alle aanmeldingen zijn beëindigd.',
      disabled: 'Uw account is geblokkeerd. Alle aanmeldingen zijn beëindigd.',
      enabled: 'Uw account is weer vrijgegeven.',
      removed: 'Uw account is verwijderd.',
    },
    when: 'Wanneer',
    from: 'Vanaf',
    server: 'de opdrachtregel van de server',
    advice:
      'Was u dit niet? Wijzig dan meteen uw wachtwoord en meld het aan een andere beheerder van {organization}.',
    why: 'U krijgt deze e-mail omdat het om uw account bij {organization} gaat.',
  },
} as const satisfies Readonly<Record<string, AccountChangeWording>>;
