import type { AccountChange } from './account-change.js';

/** Texts of the e-mail about a change of an account, in one language. `{names}` are placeholders. */
export interface AccountChangeWording {
  readonly subject: string;
  readonly changes: Readonly<Record<AccountChange, string>>;
  readonly when: string;
  readonly from: string;
  /** Text for the origin of a change that was made on the server, without a request. */
  readonly server: string;
  readonly advice: string;
  readonly why: string;
}

export const ACCOUNT_CHANGE_WORDINGS = {
  en: {
    subject: 'Your access to {organization} was changed',
    changes: {
      secondFactorOn: 'A second factor was set up for your account. You were signed out everywhere else.',
      secondFactorOff: 'The second factor of your account was turned off.',
      recoveryCodeUsed: 'A recovery code was used to sign in to your account.',
      password: 'The password of your account was changed. You were signed out everywhere else.',
      sessionsEnded: 'You were signed out of your account on one or more devices.',
      identityBound: 'The identity provider was linked to your account. You can now sign in with it.',
      identityUnbound:
        'The identity provider was unlinked from your account. You were signed out everywhere.',
      role: 'The role of your account was changed. You were signed out everywhere.',
      disabled: 'Your account was disabled. You were signed out everywhere.',
      enabled: 'Your account was enabled again.',
      removed: 'Your account was removed.',
    },
    when: 'When',
    from: 'From',
    server: 'the command line of the server',
    advice:
      'If you did not do this, change your password now and tell another administrator of {organization}.',
    why: 'You receive this e-mail because it is about your account at {organization}.',
  },
  de: {
    subject: 'Ihr Zugang zu {organization} wurde geändert',
    changes: {
      secondFactorOn:
        'Für Ihr Konto wurde ein zweiter Faktor eingerichtet. Sie wurden überall sonst abgemeldet.',
      secondFactorOff: 'Der zweite Faktor Ihres Kontos wurde ausgeschaltet.',
      recoveryCodeUsed: 'Mit einem Notfallcode hat sich jemand bei Ihrem Konto angemeldet.',
      password: 'Das Passwort Ihres Kontos wurde geändert. Sie wurden überall sonst abgemeldet.',
      sessionsEnded: 'Sie wurden auf einem oder mehreren Geräten von Ihrem Konto abgemeldet.',
      identityBound:
        'Ihr Konto wurde mit dem Identitätsanbieter verknüpft. Sie können sich jetzt darüber anmelden.',
      identityUnbound: 'Ihr Konto wurde vom Identitätsanbieter getrennt. Sie wurden überall abgemeldet.',
      role: 'Die Rolle Ihres Kontos wurde geändert. Sie wurden überall abgemeldet.',
      disabled: 'Ihr Konto wurde gesperrt. Sie wurden überall abgemeldet.',
      enabled: 'Ihr Konto wurde wieder freigegeben.',
      removed: 'Ihr Konto wurde entfernt.',
    },
    when: 'Wann',
    from: 'Von',
    server: 'Befehlszeile des Servers',
    advice:
      'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort und informieren Sie einen anderen Administrator von {organization}.',
    why: 'Sie erhalten diese E-Mail, weil es um Ihr Konto bei {organization} geht.',
  },
  fr: {
    subject: 'Votre accès à {organization} a été modifié',
    changes: {
      secondFactorOn:
        'Un second facteur a été configuré pour votre compte. Vous avez été déconnecté partout ailleurs.',
      secondFactorOff: 'Le second facteur de votre compte a été désactivé.',
      recoveryCodeUsed: 'Un code de secours a servi à se connecter à votre compte.',
      password: 'Le mot de passe de votre compte a été changé. Vous avez été déconnecté partout ailleurs.',
      sessionsEnded: 'Vous avez été déconnecté de votre compte sur un ou plusieurs appareils.',
      identityBound:
        'Le fournisseur d’identité a été associé à votre compte. Vous pouvez maintenant vous connecter avec lui.',
      identityUnbound:
        'Le fournisseur d’identité a été dissocié de votre compte. Vous avez été déconnecté partout.',
      role: 'Le rôle de votre compte a été modifié. Vous avez été déconnecté partout.',
      disabled: 'Votre compte a été désactivé. Vous avez été déconnecté partout.',
      enabled: 'Votre compte a été réactivé.',
      removed: 'Votre compte a été supprimé.',
    },
    when: 'Quand',
    from: 'Depuis',
    server: 'la ligne de commande du serveur',
    advice:
      'Si ce n’était pas vous, changez tout de suite votre mot de passe et prévenez un autre administrateur de {organization}.',
    why: 'Vous recevez cet e-mail parce qu’il concerne votre compte chez {organization}.',
  },
  es: {
    subject: 'Su acceso a {organization} ha cambiado',
    changes: {
      secondFactorOn:
        'Se ha configurado un segundo factor para su cuenta. Se han cerrado sus demás sesiones.',
      secondFactorOff: 'Se ha desactivado el segundo factor de su cuenta.',
      recoveryCodeUsed: 'Se ha usado un código de recuperación para entrar en su cuenta.',
      password: 'Se ha cambiado la contraseña de su cuenta. Se han cerrado sus demás sesiones.',
      sessionsEnded: 'Se han cerrado sesiones de su cuenta.',
      identityBound: 'El proveedor de identidad se ha vinculado a su cuenta. Ya puede iniciar sesión con él.',
      identityUnbound:
        'El proveedor de identidad se ha desvinculado de su cuenta. Se han cerrado todas sus sesiones.',
      role: 'Se ha cambiado el rol de su cuenta. Se han cerrado todas sus sesiones.',
      disabled: 'Su cuenta ha sido desactivada. Se han cerrado todas sus sesiones.',
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
        'È stato configurato un secondo fattore per il suo account. È stato disconnesso da tutti gli altri dispositivi.',
      secondFactorOff: 'Il secondo fattore del suo account è stato disattivato.',
      recoveryCodeUsed: 'Un codice di recupero è stato usato per accedere al suo account.',
      password:
        'La password del suo account è stata cambiata. È stato disconnesso da tutti gli altri dispositivi.',
      sessionsEnded: 'È stato disconnesso dal suo account su uno o più dispositivi.',
      identityBound: 'Il fornitore di identità è stato collegato al suo account. Ora può accedere con esso.',
      identityUnbound:
        'Il fornitore di identità è stato scollegato dal suo account. È stato disconnesso ovunque.',
      role: 'Il ruolo del suo account è stato cambiato. È stato disconnesso ovunque.',
      disabled: 'Il suo account è stato disattivato. È stato disconnesso ovunque.',
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
      secondFactorOn: 'Voor uw account is een tweede factor ingesteld. U bent overal elders afgemeld.',
      secondFactorOff: 'De tweede factor van uw account is uitgeschakeld.',
      recoveryCodeUsed: 'Iemand heeft zich met een herstelcode bij uw account aangemeld.',
      password: 'Het wachtwoord van uw account is gewijzigd. U bent overal elders afgemeld.',
      sessionsEnded: 'U bent op een of meer apparaten van uw account afgemeld.',
      identityBound: 'De identiteitsprovider is aan uw account gekoppeld. U kunt zich er nu mee aanmelden.',
      identityUnbound: 'De identiteitsprovider is van uw account losgekoppeld. U bent overal afgemeld.',
      role: 'De rol van uw account is gewijzigd. U bent overal afgemeld.',
      disabled: 'Uw account is geblokkeerd. U bent overal afgemeld.',
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
  ar: {
    subject: 'تغيّر حسابكم لدى {organization}',
    changes: {
      secondFactorOn: 'أُعدّ عامل ثانٍ لحسابكم. سُجّل خروجكم من سائر الأجهزة.',
      secondFactorOff: 'أُوقف العامل الثاني لحسابكم.',
      recoveryCodeUsed: 'استُخدم رمز استرداد لتسجيل الدخول إلى حسابكم.',
      password: 'تغيّرت كلمة مرور حسابكم. سُجّل خروجكم من سائر الأجهزة.',
      sessionsEnded: 'سُجّل خروجكم من حسابكم على جهاز أو أكثر.',
      identityBound: 'رُبط حسابكم بمزوّد الهوية. يمكنكم الآن تسجيل الدخول به.',
      identityUnbound: 'فُصل حسابكم عن مزوّد الهوية. سُجّل خروجكم من جميع الأجهزة.',
      role: 'تغيّر دور حسابكم. سُجّل خروجكم من جميع الأجهزة.',
      disabled: 'عُطّل حسابكم. سُجّل خروجكم من جميع الأجهزة.',
      enabled: 'أُعيد تفعيل حسابكم.',
      removed: 'حُذف حسابكم.',
    },
    when: 'الوقت',
    from: 'المصدر',
    server: 'سطر أوامر الخادم',
    advice: 'إذا لم تفعلوا ذلك بأنفسكم فغيّروا كلمة المرور الآن وأبلغوا مشرفًا آخر لدى {organization}.',
    why: 'وصلتكم هذه الرسالة لأنها تخص حسابكم لدى {organization}.',
  },
} as const satisfies Readonly<Record<string, AccountChangeWording>>;
