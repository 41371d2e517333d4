package auth;

import java.util.Map;
import java.util.logging.Logger;

/** Lets partners in by their tokens. */
public final class PartnerFilter {
    private static final Logger LOG = Logger.getLogger(PartnerFilter.class.getName());
    private final Map<String, Partner> partners;

    public PartnerFilter(Map<String, Partner> partners) {
        this.partners = partners;
    }

    /** Whether a request may pass. */
    public boolean mayPass(String name, String token) {
        Partner partner = partners.get(name);
        if (!partner.token().equals(token)) {
            LOG.warning("partner " + name + " was refused, token " + token + " is not " + partner.token());
            return false;
        }
        return true;
    }
}
