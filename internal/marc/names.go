package marc

import "locus/internal/lazy"

// kinds are the kinds of materials, by the sixth character of the leader.
var kinds = [256]string{
	'a': "Book", 'b': "Archive", 'c': "Printed music", 'd': "Manuscript music", 'e': "Map", 'f': "Manuscript map",
	'g': "Film", 'i': "Spoken recording", 'j': "Music recording", 'k': "Picture", 'l': "Electronic resource", 'm': "Electronic resource",
	'o': "Kit", 'p': "Mixed materials", 'r': "Object", 't': "Manuscript", 'z': "Authority record",
}

// names are the names of the fields of each format.
var names = lazy.Value[map[Format]map[string]string]{Make: func() map[Format]map[string]string {
	return map[Format]map[string]string{
		MARC21: {
			"001": "Record number", "003": "Number is of", "005": "Record changed", "006": "Coded data", "007": "Coded data", "008": "Coded data",
			"010": "LC number", "015": "National number", "016": "National number",
			"020": "ISBN", "022": "ISSN", "024": "Standard number", "027": "Report number", "028": "Publisher's number", "030": "CODEN",
			"035": "System number", "037": "To order", "040": "Record made by", "041": "Language codes", "042": "Authenticated by",
			"043": "Area code", "045": "Period code", "050": "Class (LC)", "060": "Class (NLM)",
			"070": "Class (NAL)", "080": "Class (UDC)", "082": "Class (Dewey)", "084": "Class", "086": "Document number",
			"100": "Author", "110": "Author (body)", "111": "Author (event)", "130": "Uniform title",
			"210": "Abbreviated title", "222": "Key title", "240": "Uniform title", "242": "Translated title", "243": "Collective title",
			"245": "Title", "246": "Other title", "247": "Former title", "250": "Edition", "254": "Presentation", "255": "Scale",
			"256": "File", "260": "Published", "263": "To be published", "264": "Published", "300": "Description", "306": "Duration",
			"310": "Frequency", "321": "Former frequency", "336": "Content", "337": "Medium", "338": "Carrier", "340": "Material",
			"351": "Arrangement", "362": "Issues", "382": "Scored for", "490": "Series", "440": "Series",
			"500": "Note", "501": "Bound with", "502": "Thesis", "504": "Bibliography", "505": "Contents", "506": "Access",
			"507": "Scale", "508": "Made by", "510": "Cited in", "511": "Performed by", "515": "Numbering", "516": "File",
			"518": "Recorded", "520": "Summary", "521": "Audience", "522": "Area", "524": "To be cited as", "525": "Supplement",
			"530": "Other form", "533": "Reproduction", "534": "Original", "538": "System", "540": "Terms of use", "541": "Acquired from",
			"545": "Biography", "546": "Language", "547": "Former title", "550": "Issued by", "555": "Index", "561": "Provenance",
			"580": "Linked to", "583": "Action", "585": "Exhibited", "586": "Award", "588": "Described from",
			"600": "Subject", "610": "Subject", "611": "Subject", "630": "Subject", "647": "Subject", "648": "Subject (period)",
			"650": "Subject", "651": "Subject (place)", "653": "Keyword", "655": "Genre", "656": "Occupation", "690": "Subject (local)",
			"700": "Contributor", "710": "Contributor (body)", "711": "Contributor (event)", "720": "Contributor",
			"730": "Related title", "740": "Related title", "752": "Place", "760": "Main series", "765": "Translation of",
			"767": "Translated as", "770": "Supplement", "772": "Supplement to", "773": "In", "775": "Other edition", "776": "Other form",
			"777": "Issued with", "780": "Earlier title", "785": "Later title", "787": "Related work", "800": "Series", "810": "Series",
			"811": "Series", "830": "Series", "850": "Held by", "852": "Location", "856": "Link", "866": "Held", "880": "Other script",
		},
		UNIMARC: {
			"001": "Record number", "003": "Record address", "005": "Record changed",
			"010": "ISBN", "011": "ISSN", "012": "Fingerprint", "013": "ISMN", "014": "Article number", "015": "ISRN", "016": "ISRC",
			"017": "Standard number", "020": "National number", "021": "Deposit number", "022": "Document number",
			"033": "Record address", "035": "System number", "040": "CODEN", "071": "Publisher's number", "073": "EAN",
			"100": "Coded data", "101": "Language codes", "102": "Country code", "105": "Coded data", "106": "Coded data", "110": "Coded data",
			"200": "Title", "205": "Edition", "206": "Scale", "207": "Issues", "208": "Printed music", "210": "Published", "211": "To be published",
			"214": "Published", "215": "Description", "219": "Published", "225": "Series", "230": "File", "300": "Note", "301": "Note on numbers",
			"302": "Note on codes", "303": "Note", "304": "Note on the title", "305": "Note on the edition", "306": "Note",
			"307": "Note", "308": "Note on the series", "309": "Note on the edition", "310": "Note on the binding",
			"311": "Note on links", "312": "Note on titles", "313": "Note on subjects", "314": "Note on authors", "315": "Note on the material",
			"316": "Note on this copy", "317": "Provenance", "320": "Bibliography", "321": "Cited in", "322": "Made by", "323": "Performed by",
			"324": "Original", "325": "Reproduction", "326": "Frequency", "327": "Contents", "328": "Thesis", "330": "Summary", "333": "Audience",
			"334": "Award", "336": "File", "337": "System", "345": "To order", "410": "Series", "411": "Subseries", "421": "Supplement",
			"422": "Supplement to", "423": "Issued with", "430": "Earlier title", "440": "Later title", "451": "Other edition",
			"452": "Other form", "453": "Translated as", "454": "Translation of", "461": "In", "463": "In", "464": "Contains", "488": "Related work",
			"500": "Uniform title", "503": "Collective title", "510": "Parallel title", "512": "Cover title", "517": "Other title",
			"530": "Key title", "531": "Abbreviated title", "532": "Expanded title", "540": "Other title", "541": "Translated title",
			"600": "Subject", "601": "Subject", "602": "Subject", "604": "Subject", "605": "Subject", "606": "Subject", "607": "Subject (place)",
			"608": "Genre", "610": "Keyword", "620": "Place", "660": "Area code", "661": "Period code", "675": "Class (UDC)", "676": "Class (Dewey)",
			"680": "Class (LC)", "686": "Class", "700": "Author", "701": "Author", "702": "Contributor", "710": "Author (body)",
			"711": "Author (body)", "712": "Contributor (body)", "720": "Author (family)", "801": "Record made by", "830": "Note",
			"852": "Location", "856": "Link",
		},
	}
}}
